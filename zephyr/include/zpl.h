/* SPDX-License-Identifier: Apache-2.0 */
/* zpl.h - Zephelin's header, for the memory profiling of its applications */
#pragma once

#include <zephyr/sys/printk.h>
#include <zephyr/tracing/tracing.h>

#include "tally/zpl.h"

static inline int zpl_init(void)
{
    return 0;
}

#ifdef CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT
#undef sys_trace_named_event
#define sys_trace_named_event(name, first, second) \
    printk("zpl_named_event: %s (%d; %d)\n", name, first, second)
#elif !defined sys_trace_named_event && !defined CONFIG_TRACING_CTF
#define sys_trace_named_event(name, first, second) ((void)0)
#endif
