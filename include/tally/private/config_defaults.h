/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_defaults.h - part of tally/config.h: options in builds without Kconfig
 *
 * Options marked "library" are set when the library is built, with cmake
 * -DCONFIG_...=OFF; pkg-config passes on those that differ from the defaults
 * here.
 */
#ifndef TALLY_PRIVATE_CONFIG_DEFAULTS_H
#define TALLY_PRIVATE_CONFIG_DEFAULTS_H

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

/* Library. n: firmware without a kernel. There are no threads, so calls never
   wait for blocks; code for waiting is left out. */
#ifndef CONFIG_MULTITHREADING
#define CONFIG_MULTITHREADING y
#endif

/* y: threads may preempt each other, so each has its own tag in force. Without
   an operating system, the port keeps it: struct tally_thread of
   tally/thread.h. Program and library agree. */
#ifndef CONFIG_TALLY_THREADS
#if __STDC_HOSTED__
#define CONFIG_TALLY_THREADS y
#else
#define CONFIG_TALLY_THREADS n
#endif
#endif

/* Library: initial state of ZPL's profiler. */
#ifndef CONFIG_ZPL_MEMORY_PROFILING
#define CONFIG_ZPL_MEMORY_PROFILING y
#endif

/* Format of its events: text if PLAINTEXT is y or CTF is n. */
#ifndef CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT
#define CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT n
#endif
#ifndef CONFIG_ZPL_TRACE_FORMAT_CTF
#define CONFIG_ZPL_TRACE_FORMAT_CTF y
#endif

#endif /* TALLY_PRIVATE_CONFIG_DEFAULTS_H */
