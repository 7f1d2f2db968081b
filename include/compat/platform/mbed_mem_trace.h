/* SPDX-License-Identifier: Apache-2.0 */
/* mbed_mem_trace.h - where Mbed OS has what tally/mem_trace.h declares */
#include "tally/mem_trace.h"
