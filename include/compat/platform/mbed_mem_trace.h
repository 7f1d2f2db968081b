/* SPDX-License-Identifier: Apache-2.0 */
/* mbed_mem_trace.h - tally/mem_trace.h under its Mbed OS path */
#include "tally/mem_trace.h"
