/* SPDX-License-Identifier: Apache-2.0 */
/* mbed_stats.h - tally/mbed_stats.h under its Mbed OS path */
#include "tally/mbed_stats.h"
