/* SPDX-License-Identifier: Apache-2.0 */
/* mbed_mem_trace.h - where Mbed OS has what tally/mem_trace.h declares */
#ifndef TALLY_COMPAT_MBED_MEM_TRACE_H
#define TALLY_COMPAT_MBED_MEM_TRACE_H

#include "tally/mem_trace.h"

#endif /* TALLY_COMPAT_MBED_MEM_TRACE_H */
