/* SPDX-License-Identifier: Apache-2.0 */
/* mbed_stats.h - where Mbed OS has what tally/mbed_stats.h declares */
#include "tally/mbed_stats.h"
