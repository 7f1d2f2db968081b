/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - build-time options of programs and of the library
 *
 * An option is y or n (or 1 or 0), or a number, set on the compiler's command
 * line. Options marked "library" are set when the library is built, with cmake
 * -DCONFIG_...=OFF; pkg-config passes on those that differ from the defaults
 * here.
 */
#ifndef TALLY_CONFIG_H
#define TALLY_CONFIG_H

/* n: every hook is the plain call, and the source has no tags. A library built
   with n records nothing unless a parameter says otherwise. */
#ifndef CONFIG_MEM_ALLOC_PROFILING
#define CONFIG_MEM_ALLOC_PROFILING y
#endif

/* Library: the setting without a parameter. y means 1, n means never. */
#ifndef CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT
#define CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT y
#endif

/* y: a source warns once per line about allocations without a tag. */
#ifndef CONFIG_MEM_ALLOC_PROFILING_DEBUG
#define CONFIG_MEM_ALLOC_PROFILING_DEBUG n
#endif

/* Library. n: its own allocations and --wrap emit no events for
   tally/mem_trace.h. */
#ifndef CONFIG_MBED_MEM_TRACING_ENABLED
#define CONFIG_MBED_MEM_TRACING_ENABLED y
#endif

/* Library, with 32-bit addresses. y: heaps may exceed 256 KiB, and blocks have
   8 bytes of overhead, not 4. */
#ifndef CONFIG_SYS_HEAP_BIG
#define CONFIG_SYS_HEAP_BIG n
#endif

/* CONFIG_HEAP_MEM_POOL_SIZE: bytes for k_malloc() of tally/k_heap.h, set by the
   program; on firmware also by the library. Without it, the library supplies
   16,384 bytes. */

/* Library. n: firmware without a kernel. There are no threads, so calls never
   wait for blocks; code for waiting is left out. */
#ifndef CONFIG_MULTITHREADING
#define CONFIG_MULTITHREADING y
#endif

/*
 * Library: ZPL memory profiling. Initial state of the profiler; interval
 * between its rounds in milliseconds; stack of its thread in bytes (hosts use
 * at least their minimum); priority of its thread; delay before the first round
 * in milliseconds.
 */
#ifndef CONFIG_ZPL_MEMORY_PROFILING
#define CONFIG_ZPL_MEMORY_PROFILING y
#endif
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

/* Format of events: text if PLAINTEXT is y or CTF is n. */
#ifndef CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT
#define CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT n
#endif
#ifndef CONFIG_ZPL_TRACE_FORMAT_CTF
#define CONFIG_ZPL_TRACE_FORMAT_CTF y
#endif

/* Byte layout of an event: 1, 2 or 3 (tally/zpl_event.h). */
#ifndef CONFIG_ZPL_CTF_LAYOUT
#define CONFIG_ZPL_CTF_LAYOUT 1
#endif

/* TALLY_CONFIG(CONFIG_...) is 1 or 0, in #if as well. */
#define TALLY_CONFIG(option)       TALLY_CONFIG_VALUE(option)
#define TALLY_CONFIG_VALUE(option) TALLY_CONFIG_##option
#define TALLY_CONFIG_y             1
#define TALLY_CONFIG_n             0
#define TALLY_CONFIG_1             1
#define TALLY_CONFIG_0             0
#define TALLY_CONFIG_              1 /* -DCONFIG_...= without a value */

#endif /* TALLY_CONFIG_H */
