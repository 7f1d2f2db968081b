/* SPDX-License-Identifier: Apache-2.0 */
/* place_names.c - lists of names; see attach.h */
#include "tool/attach/attach.h"

#include "format/allocator_names.h"

/* Names of files; a name that ends in `*` is a prefix. */
#define LIBRARY(marker, prefix, library, operators) "lib" library "* "
static const char never[] =
    " ld-linux* ld-2.* libgcc_s.* libunwind* libdl.* " ALLOCATORS(
        LIBRARY) "libtally-record.* ";
static const char libc[] =
    " libc.so.6 libc-2.* libpthread.so.0 libpthread-2.* ";

static const char *const lists[] = {
    [ALLOCATOR_MARK] = ALLOCATOR_MALLOCS,
    [ALLOCATOR] =
        " malloc* calloc* realloc* free* memalign* valloc* pvalloc* cfree* "
        "aligned_alloc* posix_memalign* sdallocx* dallocx* mallocx* rallocx* "
        "nallocx* xallocx* sallocx* je_* _rjem_* mi_* _mi_* tc_* arena_* "
        "tcache_* do_malloc* do_free* _ZN8tcmalloc* _Zn* _Zd* ",
    [ONLY_WAITING] =
        " accept accept4 clock_nanosleep connect epoll_pwait epoll_pwait2 "
        "epoll_wait fdatasync flock fsync io_getevents mq_receive "
        "mq_timedreceive mq_timedsend msgrcv msgsnd nanosleep pause poll ppoll "
        "pread pread64 preadv pselect pwrite pwrite64 pwritev read readv recv "
        "recvfrom recvmmsg recvmsg sched_yield select sem_clockwait "
        "sem_timedwait sem_wait semop semtimedop send sendfile sendmmsg "
        "sendmsg sendto sigsuspend sigtimedwait sigwait sigwaitinfo sleep "
        "splice syscall usleep wait wait3 wait4 waitid waitpid write writev "
        "pthread_barrier_wait pthread_clockjoin_ex pthread_clockjoin_np "
        "pthread_cond_clockwait "
        "pthread_cond_timedwait pthread_cond_wait pthread_join "
        "pthread_mutex_clocklock pthread_mutex_lock pthread_mutex_timedlock "
        "pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock "
        "pthread_rwlock_rdlock pthread_rwlock_timedrdlock "
        "pthread_rwlock_timedwrlock pthread_rwlock_wrlock "
        "pthread_timedjoin_np cnd_timedwait cnd_wait mtx_lock mtx_timedlock "
        "thrd_join thrd_sleep ",
    [FORBIDDEN] =
        " malloc* calloc* realloc* free* memalign* valloc* pvalloc* "
        "aligned_alloc* posix_memalign* mall* cfree* mtrace* muntrace* dl* "
        "fork* Fork vfork posix_spawn* system popen exec* fexecve daemon "
        "clone* "
        "exit* quick_exit abort cxa_* call_tls_dtors pthread_create* "
        "pthread_exit* pthread_atfork* pthread_cancel register_atfork "
        "thrd_create thrd_exit register_frame* deregister_frame* setlocale* "
        "longjmp siglongjmp swapcontext setcontext twalk* ",
};

bool place_is_named(const char *symbol, const char *name)
{
    const char *rest = text_after(symbol, name);

    return rest != NULL && (*rest == '\0' || *rest == '@');
}

/* Return true if the list has the name, or a prefix of it that ends in `*`. */
static bool is_in(const char *list, const char *name)
{
    for (const char *word = list + 1; *word != '\0';
         word += strcspn(word, " ") + 1) {
        size_t length = strcspn(word, " *");

        if (strncmp(name, word, length) == 0 &&
            (word[length] == '*' || name[length] == '\0' ||
             name[length] == '@'))
            return true;
    }
    return false;
}

/* Functions of libc have more names: __poll, __libc_malloc, __GI___fork. */
static const char *plain(const char *name)
{
    static const char *const prefixes[] = { "_", "libc_", "GI_" };

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const char *rest = text_after(name, prefixes[i]);

        if (rest != NULL)
            return plain(rest);
    }
    return name;
}

enum file_kind file_kind_of(const char *path)
{
    const char *name = base_name(path);

    if (is_in(never, name))
        return FILE_NEVER;
    return is_in(libc, name) ? FILE_LIBC : FILE_OTHER;
}

bool place_is(enum place_list list, const char *name)
{
    return is_in(lists[list], list >= ONLY_WAITING ? plain(name) : name);
}
