/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.h - what is decided when a program or the library is built
 *
 * An option is y or n (or 1 or 0), or a number. The command line of the
 * compiler sets it. The library's own options are set where the library is
 * built, with cmake -DCONFIG_...=OFF; pkg-config hands on those that differ
 * from what stands here.
 */
#ifndef TALLY_CONFIG_H
#define TALLY_CONFIG_H

/* n: every hook is the plain call; a source compiled so has no tags. A library
   built so records nothing unless a parameter says so. */
#ifndef CONFIG_MEM_ALLOC_PROFILING
#define CONFIG_MEM_ALLOC_PROFILING y
#endif

/* The library's: without a parameter, y is 1 and n is never. */
#ifndef CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT
#define CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT y
#endif

/* y: a source says once for each place what it allocated without a tag. */
#ifndef CONFIG_MEM_ALLOC_PROFILING_DEBUG
#define CONFIG_MEM_ALLOC_PROFILING_DEBUG n
#endif

/* The library's: n: its own allocations and --wrap give no events to
   tally/mem_trace.h. */
#ifndef CONFIG_MBED_MEM_TRACING_ENABLED
#define CONFIG_MBED_MEM_TRACING_ENABLED y
#endif

/* The library's, where addresses have 32 bits. y: blocks of heaps cost 8 bytes
   and not 4, and heaps may have 256 KiB and more. */
#ifndef CONFIG_SYS_HEAP_BIG
#define CONFIG_SYS_HEAP_BIG n
#endif

/* CONFIG_HEAP_MEM_POOL_SIZE: the program's, on firmware also the library's.
   Bytes for k_malloc() of tally/k_heap.h; else 16,384 of the library's own. */

/* The library's. n, as firmware without a kernel has it: there are no threads,
   so no call waits for blocks of slabs and heaps; that code is left out. */
#ifndef CONFIG_MULTITHREADING
#define CONFIG_MULTITHREADING y
#endif

/*
 * ZPL memory profiling; the library's. Whether the profiler is on from the
 * start; milliseconds between its rounds, and before the first; its thread's
 * stack in bytes, on hosts at least what they ask for; its thread's priority.
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

/* What events are written as: text if it is y, or if CTF is n. */
#ifndef CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT
#define CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT n
#endif
#ifndef CONFIG_ZPL_TRACE_FORMAT_CTF
#define CONFIG_ZPL_TRACE_FORMAT_CTF y
#endif

/* 1, 2 or 3: how an event lies in bytes, tally/zpl_event.h. */
#ifndef CONFIG_ZPL_CTF_LAYOUT
#define CONFIG_ZPL_CTF_LAYOUT 1
#endif

/* TALLY_CONFIG(CONFIG_...) is 1 or 0, also for the preprocessor. */
#define TALLY_CONFIG(option)       TALLY_CONFIG_VALUE(option)
#define TALLY_CONFIG_VALUE(option) TALLY_CONFIG_##option
#define TALLY_CONFIG_y             1
#define TALLY_CONFIG_n             0
#define TALLY_CONFIG_1             1
#define TALLY_CONFIG_0             0
#define TALLY_CONFIG_              1 /* -DCONFIG_... with nothing behind = */

#endif /* TALLY_CONFIG_H */
