/* SPDX-License-Identifier: Apache-2.0 */
/* other_memory.c - read in a separate thread; see process_facts.h */
#include "tool/session/find/process_facts.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

enum { MOST_SECONDS = 1 };

/* a read of another process's memory, which may never return */
struct attempt {
    pid_t pid;
    uint64_t address;
    size_t size;
    ssize_t got;
    sem_t is_over;
    atomic_uint users;     /* caller and thread; the last one frees it */
    unsigned char bytes[]; /* result */
};

static void leave(struct attempt *attempt)
{
    if (atomic_fetch_sub(&attempt->users, 1) == 1)
        free(attempt);
}

static void *run(void *argument)
{
    struct attempt *attempt = argument;
    struct iovec here = { attempt->bytes, attempt->size };
    struct iovec there = { (void *)(uintptr_t)attempt->address, attempt->size };

    __atomic_store_n(&attempt->got,
                     process_vm_readv(attempt->pid, &here, 1, &there, 1, 0),
                     __ATOMIC_RELEASE);
    sem_post(&attempt->is_over);
    leave(attempt);
    return NULL;
}

static int start(struct attempt *attempt)
{
    sigset_t all, before;
    pthread_t thread;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&thread, NULL, run, attempt);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0 ? pthread_detach(thread) : error;
}

bool other_memory_read(pid_t pid, uint64_t address, void *to, size_t size)
{
    static bool is_stuck;
    struct attempt *attempt =
        is_stuck ? NULL : calloc(1, sizeof *attempt + size);
    struct timespec until;
    bool is_read;

    if (attempt == NULL)
        return false;
    attempt->pid = pid;
    attempt->address = address;
    attempt->size = size;
    attempt->users = 2;
    sem_init(&attempt->is_over, 0, 0);
    if (start(attempt) != 0) {
        free(attempt);
        return false;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += MOST_SECONDS;
    while ((is_stuck = sem_clockwait(&attempt->is_over, CLOCK_MONOTONIC,
                                     &until) != 0) &&
           errno == EINTR)
        ;
    is_read = !is_stuck &&
              __atomic_load_n(&attempt->got, __ATOMIC_ACQUIRE) == (ssize_t)size;
    if (is_read)
        memcpy(to, attempt->bytes, size);
    leave(attempt);
    return is_read;
}
