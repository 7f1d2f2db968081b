/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - build-time options of programs and of the library
 *
 * An option is y or n (or 1 or 0), or a number, set on the compiler's command
 * line. An undefined option is n, as in Kconfig. With CONFIG_TALLY_KCONFIG=y,
 * Kconfig sets all options; in other builds tally/private/config_defaults.h has
 * the values of options that are not set.
 */
#ifndef TALLY_CONFIG_H
#define TALLY_CONFIG_H

/* TALLY_CONFIG(CONFIG_...) is 1 or 0, in #if as well. */
#define TALLY_CONFIG(option)       TALLY_CONFIG_VALUE(option)
#define TALLY_CONFIG_VALUE(option) TALLY_CONFIG_##option
#define TALLY_CONFIG_y             1
#define TALLY_CONFIG_n             0
#define TALLY_CONFIG_1             1
#define TALLY_CONFIG_0             0
#define TALLY_CONFIG_              1 /* -DCONFIG_...= without a value */
/* undefined options */
#define TALLY_CONFIG_CONFIG_MBED_MEM_TRACING_ENABLED               0
#define TALLY_CONFIG_CONFIG_MEM_ALLOC_PROFILING                    0
#define TALLY_CONFIG_CONFIG_MEM_ALLOC_PROFILING_DEBUG              0
#define TALLY_CONFIG_CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT 0
#define TALLY_CONFIG_CONFIG_MULTITHREADING                         0
#define TALLY_CONFIG_CONFIG_SYS_HEAP_BIG                           0
#define TALLY_CONFIG_CONFIG_TALLY_KCONFIG                          0
#define TALLY_CONFIG_CONFIG_TALLY_THREADS                          0
#define TALLY_CONFIG_CONFIG_TALLY_ZPL_PACKETS                      0
#define TALLY_CONFIG_CONFIG_ZPL_MEMORY_PROFILING                   0
#define TALLY_CONFIG_CONFIG_ZPL_TRACE_FORMAT_CTF                   0
#define TALLY_CONFIG_CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT             0

#if !TALLY_CONFIG(CONFIG_TALLY_KCONFIG)
#include "tally/private/config_defaults.h"
#endif

/*
 * TALLY_HAS(part) is 1 or 0, in #if as well:
 *
 *   OS       an operating system loads the program: constructors run, shared
 *            objects come and go, memory comes in pages, and libtally keeps
 *            the accounts in a ledger
 *   LIBC     a C library with stdio, errno and malloc
 *   THREADS  more than one thread: CONFIG_TALLY_THREADS
 */
#define TALLY_HAS(part) TALLY_HAS_##part
#if TALLY_CONFIG(CONFIG_TALLY_KCONFIG)
#define TALLY_HAS_OS   0
#define TALLY_HAS_LIBC 0
#else
#define TALLY_HAS_OS   __STDC_HOSTED__
#define TALLY_HAS_LIBC __STDC_HOSTED__
#endif
#define TALLY_HAS_THREADS TALLY_CONFIG(CONFIG_TALLY_THREADS)

/* CONFIG_HEAP_MEM_POOL_SIZE: bytes for k_malloc() of tally/k_heap.h, set by the
   program; on firmware also by the library. Without it, the library supplies
   16,384 bytes. */

/*
 * Library: ZPL memory profiling. Interval between rounds in milliseconds; stack
 * of its thread in bytes (hosts use at least their minimum); priority of its
 * thread; delay before the first round in milliseconds.
 */
#ifndef CONFIG_ZPL_MEMORY_PROFILING_INTERVAL
#define CONFIG_ZPL_MEMORY_PROFILING_INTERVAL 1000
#endif
#ifndef CONFIG_ZPL_MEMORY_PROFILING_THREAD_STACK_SIZE
#define CONFIG_ZPL_MEMORY_PROFILING_THREAD_STACK_SIZE 512
#endif
#ifndef CONFIG_ZPL_MEMORY_PROFILING_THREAD_PRIORITY
#define CONFIG_ZPL_MEMORY_PROFILING_THREAD_PRIORITY 5
#endif
#ifndef CONFIG_ZPL_MEMORY_PROFILING_THREAD_DELAY
#define CONFIG_ZPL_MEMORY_PROFILING_THREAD_DELAY 0
#endif

/* Byte layout of an event: 1 to 4 (tally/zpl_event.h). */
#ifndef CONFIG_ZPL_CTF_LAYOUT
#define CONFIG_ZPL_CTF_LAYOUT 1
#endif

#endif /* TALLY_CONFIG_H */
