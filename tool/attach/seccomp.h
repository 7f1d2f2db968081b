/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp.h - judging if seccomp filters allow the calls of attaching
 *
 * Each of its threads may have filters of its own. They are read from the
 * kernel, which takes root, and followed for each call with any arguments: what
 * depends on those, or on anything else that we do not know, counts as its
 * worst.
 */
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/attach/thread_calls.h"

enum seccomp_verdict {
    SECCOMP_ALLOWS,
    SECCOMP_FAILS, /* with an errno */
    SECCOMP_ENDS,  /* or anything else */
};

/* Return the worst that a filter may do at system call `number` of x86-64. */
enum seccomp_verdict seccomp_judge(const struct sock_filter *filter,
                                   size_t count, uint32_t number);

/* -1: a call that attaching makes could end the process, or fails. Threads with
   filters are stopped, one by one. */
int seccomp_check(struct tracee *tracee);

/*
 * The system calls that attaching makes in a process: ours, those of dlopen()
 * and its malloc, and of the recorder until the process ends. A victim of the
 * tests has a filter that ends it for all others.
 */
/* clang-format off */
/* Without one of these there is no recorder, or no ledger. */
#define SECCOMP_CALLS_NEEDED(X)                                             \
    X(close) X(fcntl) X(fstat) X(ftruncate) X(futex) X(getpid) X(getppid)   \
    X(gettid) X(madvise) X(memfd_create) X(mmap) X(mprotect) X(mremap)      \
    X(munmap) X(newfstatat) X(openat) X(pread64) X(prlimit64) X(pwrite64)   \
    X(read) X(readlinkat) X(restart_syscall) X(rt_sigprocmask)              \
    X(rt_sigreturn)

/* Without these, less is known of it, or it takes longer. */
#define SECCOMP_CALLS_OPTIONAL(X)                                           \
    X(brk) X(clock_gettime) X(fchmod) X(getcwd) X(getdents64) X(getegid)    \
    X(geteuid) X(getrandom) X(mincore) X(munlock) X(nanosleep) X(prctl)     \
    X(sched_getaffinity) X(sched_yield) X(sigaltstack) X(tkill) X(write)
/* clang-format on */
