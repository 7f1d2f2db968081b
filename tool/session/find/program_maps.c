/* SPDX-License-Identifier: Apache-2.0 */
/* program_maps.c - see program_maps.h */
#include "tool/session/find/program_maps.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

/* Linux allows a process no more mappings by default. */
enum { MOST_MAPS = 1 << 20, TRIES = 3, MOST_SECONDS = 1 };

/* One read of another process's memory, which may never return. */
struct attempt {
    pid_t pid;
    uint64_t address;
    size_t size;
    ssize_t got;
    sem_t is_over;
    atomic_uint users;     /* the caller and the thread; the last frees it */
    unsigned char bytes[]; /* what is read */
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

/*
 * Reading fails without the right to look into the process. A page may lie
 * behind a userfaultfd whose owner can delay a read for ever. So another thread
 * reads, we wait only a moment, and read no more after a read that took longer.
 */
static bool read_memory(pid_t pid, uint64_t address, void *to, size_t size)
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

static bool is_in_order(const struct program_maps *maps)
{
    for (size_t i = 0; i < maps->count; i++) {
        if (maps->maps[i].start >= maps->maps[i].end ||
            (i > 0 && maps->maps[i].start < maps->maps[i - 1].end))
            return false;
    }
    return true;
}

static bool read_table(struct program_maps *maps, pid_t pid, uint64_t address)
{
    struct ledger_map_table table;
    size_t size;

    if (address == 0 || !read_memory(pid, address, &table, sizeof table) ||
        table.count > MOST_MAPS)
        return false;
    if (table.count == 0)
        return true;
    size = (size_t)table.count * sizeof *maps->maps;
    maps->maps = malloc(size);
    if (maps->maps == NULL ||
        !read_memory(pid, table.address, maps->maps, size))
        return false;
    maps->count = (size_t)table.count;
    return is_in_order(maps);
}

void program_maps_read(struct program_maps *maps, pid_t pid, uint64_t address)
{
    *maps = (struct program_maps){ 0 };
    for (unsigned tries = 0; tries < TRIES && !maps->is_known; tries++) {
        maps->is_known = read_table(maps, pid, address);
        if (!maps->is_known)
            program_maps_free(maps);
    }
}

void program_maps_free(struct program_maps *maps)
{
    free(maps->maps);
    *maps = (struct program_maps){ 0 };
}

/* The first that ends behind `address`. */
static size_t find(const struct program_maps *maps, uint64_t address)
{
    size_t low = 0, high = maps->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (maps->maps[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool program_maps_next(const struct program_maps *maps, uint64_t *from,
                       uint64_t end, uint64_t *to)
{
    size_t i = find(maps, *from);

    if (*from >= end || i == maps->count || maps->maps[i].start >= end)
        return false;
    if (maps->maps[i].start > *from)
        *from = maps->maps[i].start;
    *to = maps->maps[i].end < end ? maps->maps[i].end : end;
    return true;
}
