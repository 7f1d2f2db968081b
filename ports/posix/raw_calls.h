/* SPDX-License-Identifier: Apache-2.0 */
/* raw_calls.h - system calls without side effects on the program */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/*
 * System calls without side effects on the program.
 *
 * libc's wrappers change errno, are cancellation points, and some are replaced
 * by the recorder. These functions return a negative errno instead.
 */

/*
 * End of the first thread's stack, set by the loader: the number of arguments,
 * the arguments, NULL, and the environment. Weak, so as not to link the loader,
 * which would change the order of the program's libraries.
 */
extern void *__libc_stack_end __attribute__((weak)); /* NOLINT: its name */

#if defined __x86_64__
static inline long raw_call(long number, long a, long b, long c, long d, long e,
                            long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                       "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined __aarch64__
static inline long raw_call(long number, long a, long b, long c, long d, long e,
                            long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;

    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}
#else
#error "the recorder knows the system calls of x86-64 and aarch64 only"
#endif

/* Return true if a result is an error; works for addresses, too. */
static inline int raw_failed(long result)
{
    return result < 0 && result >= -4095;
}

#define RAW_ARGUMENT(x) ((long)(uintptr_t)(x))

static inline long raw_mmap(void *at, size_t size, int protection, int flags,
                            int fd, uint64_t offset)
{
    return raw_call(SYS_mmap, RAW_ARGUMENT(at), (long)size, protection, flags,
                    fd, (long)offset);
}

static inline long raw_mremap(void *old, size_t old_size, size_t new_size,
                              int flags, void *at)
{
    return raw_call(SYS_mremap, RAW_ARGUMENT(old), (long)old_size,
                    (long)new_size, flags, RAW_ARGUMENT(at), 0);
}

static inline long raw_munmap(void *at, size_t size)
{
    return raw_call(SYS_munmap, RAW_ARGUMENT(at), (long)size, 0, 0, 0, 0);
}

static inline long raw_madvise(void *at, size_t size, int advice)
{
    return raw_call(SYS_madvise, RAW_ARGUMENT(at), (long)size, advice, 0, 0, 0);
}

static inline long raw_open(const char *path, int flags)
{
    return raw_call(SYS_openat, -100 /* AT_FDCWD */, RAW_ARGUMENT(path), flags,
                    0, 0, 0);
}

static inline long raw_read(int fd, void *into, size_t size)
{
    return raw_call(SYS_read, fd, RAW_ARGUMENT(into), (long)size, 0, 0, 0);
}

static inline long raw_close(int fd)
{
    return raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* Read the first bytes of a file; return their number, or a negative errno. */
static inline long raw_read_file(const char *path, void *into, size_t size)
{
    long fd = raw_open(path, 02000000 /* O_CLOEXEC */);
    long length = fd < 0 ? fd : raw_read((int)fd, into, size);

    if (fd >= 0)
        raw_close((int)fd);
    return length;
}

static inline long raw_getpid(void)
{
    return raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline long raw_gettid(void)
{
    return raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static inline long raw_yield(void)
{
    return raw_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static inline void raw_block_signals(uint64_t *old)
{
    uint64_t all = ~UINT64_C(0);

    raw_call(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, RAW_ARGUMENT(&all),
             RAW_ARGUMENT(old), sizeof all, 0, 0);
}

static inline void raw_restore_signals(const uint64_t *old)
{
    raw_call(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, RAW_ARGUMENT(old), 0,
             sizeof *old, 0, 0);
}

/*
 * System calls that the program's seccomp filter forbids.
 *
 * Once a seccomp filter is installed, a system call that the program itself
 * does not make may kill it. From then on Tally only makes the calls of an
 * allocator: mmap, munmap, mremap and mprotect.
 */

bool sandbox_is_closed(void);

/* Count a filter being installed; uncount one that was refused. */
void sandbox_close(void);
void sandbox_open(void);
