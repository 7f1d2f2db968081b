/* SPDX-License-Identifier: Apache-2.0 */
/* place_names.c - lists of names; see place_names.h */
#include "tool/attach/place_names.h"

#include <stddef.h>
#include <string.h>

#include "format/behind.h"

/* Lists end with NULL. */
static const char *const never[] = {
    "ld-linux",    "ld-2.",       "libgcc_s.",   "libunwind",        "libdl.",
    "libjemalloc", "libtcmalloc", "libmimalloc", "libtally-record.", NULL,
};

static const char *const libc[] = {
    "libc.so.6", "libc-2.", "libpthread.so.0", "libpthread-2.", NULL,
};

static const char *const allocator_marks[] = {
    "malloc",          "je_malloc",    "mi_malloc", "tc_malloc",
    "_rjem_je_malloc", "_rjem_malloc", NULL,
};

/* What names of an allocator's functions begin with. */
static const char *const allocators[] = {
    "malloc",   "calloc",  "realloc",   "free",          "memalign",
    "valloc",   "pvalloc", "cfree",     "aligned_alloc", "posix_memalign",
    "sdallocx", "dallocx", "mallocx",   "rallocx",       "nallocx",
    "je_",      "_rjem_",  "mi_",       "_mi_",          "tc_",
    "arena_",   "tcache_", "do_malloc", "do_free",       "_ZN8tcmalloc",
    "_Zn",      "_Zd",     NULL,
};

static const char *const waiting[] = {
    "accept",
    "accept4",
    "clock_nanosleep",
    "connect",
    "epoll_pwait",
    "epoll_pwait2",
    "epoll_wait",
    "fdatasync",
    "flock",
    "fsync",
    "futex",
    "io_getevents",
    "mq_receive",
    "mq_timedreceive",
    "mq_timedsend",
    "msgrcv",
    "msgsnd",
    "nanosleep",
    "pause",
    "poll",
    "ppoll",
    "pread",
    "pread64",
    "preadv",
    "pselect",
    "pwrite",
    "pwrite64",
    "pwritev",
    "read",
    "readv",
    "recv",
    "recvfrom",
    "recvmmsg",
    "recvmsg",
    "sched_yield",
    "select",
    "sem_clockwait",
    "sem_timedwait",
    "sem_wait",
    "semop",
    "semtimedop",
    "send",
    "sendfile",
    "sendmmsg",
    "sendmsg",
    "sendto",
    "sigsuspend",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "sleep",
    "splice",
    "syscall",
    "usleep",
    "wait",
    "wait3",
    "wait4",
    "waitid",
    "waitpid",
    "write",
    "writev",
    "pthread_barrier_wait",
    "pthread_clockjoin_np",
    "pthread_cond_clockwait",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
    "pthread_join",
    "pthread_mutex_clocklock",
    "pthread_mutex_lock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_clockrdlock",
    "pthread_rwlock_clockwrlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_timedwrlock",
    "pthread_rwlock_wrlock",
    "pthread_timedjoin_np",
    "cnd_timedwait",
    "cnd_wait",
    "mtx_lock",
    "mtx_timedlock",
    "thrd_join",
    "thrd_sleep",
    NULL,
};

/* What names begin with. */
static const char *const forbidden[] = {
    "malloc",
    "calloc",
    "realloc",
    "free",
    "memalign",
    "valloc",
    "pvalloc",
    "aligned_alloc",
    "mallinfo",
    "mallopt",
    "posix_memalign",
    "cfree",
    "dl",
    "fork",
    "Fork",
    "vfork",
    "posix_spawn",
    "system",
    "popen",
    "exit",
    "quick_exit",
    "abort",
    "cxa_",
    "call_tls_dtors",
    "pthread_create",
    "pthread_exit",
    "pthread_atfork",
    "pthread_cancel",
    "register_atfork",
    "thrd_create",
    "thrd_exit",
    "clone",
    "daemon",
    "forkpty",
    "mtrace",
    "muntrace",
    "register_frame",
    "setlocale",
    "exec",
    "fexecve",
    "sigaltstack",
    "siglongjmp",
    "longjmp",
    "swapcontext",
    "setcontext",
    "makecontext",
    "twalk",
    NULL,
};

static bool is_in(const char *name, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (strcmp(name, *list) == 0)
            return true;
    }
    return false;
}

static bool begins_as(const char *name, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (behind(name, *list) != NULL)
            return true;
    }
    return false;
}

/* Functions of libc have more names: __poll, __libc_malloc, __GI___fork. */
static const char *plain(const char *name)
{
    static const char *const prefixes[] = { "_", "libc_", "GI_", NULL };

    for (size_t i = 0; prefixes[i] != NULL; i++) {
        const char *rest = behind(name, prefixes[i]);

        if (rest != NULL)
            return plain(rest);
    }
    return name;
}

enum file_kind file_kind_of(const char *path)
{
    const char *name =
        strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;

    if (begins_as(name, never))
        return FILE_NEVER;
    return begins_as(name, libc) ? FILE_LIBC : FILE_OTHER;
}

bool is_allocator_mark(const char *name)
{
    return is_in(name, allocator_marks);
}

bool is_allocator(const char *name)
{
    return begins_as(name, allocators);
}

bool is_only_waiting(const char *name)
{
    return is_in(plain(name), waiting);
}

bool is_forbidden(const char *name)
{
    return begins_as(plain(name), forbidden);
}
