/* SPDX-License-Identifier: Apache-2.0 */
/* tracing.h - Zephyr's named trace events: accepted, not recorded */
#ifndef TALLY_COMPAT_ZEPHYR_TRACING_TRACING_H
#define TALLY_COMPAT_ZEPHYR_TRACING_TRACING_H

#ifndef sys_trace_named_event
#define sys_trace_named_event(name, a, b) ((void)(name), (void)(a), (void)(b))
#endif

#endif /* TALLY_COMPAT_ZEPHYR_TRACING_TRACING_H */
