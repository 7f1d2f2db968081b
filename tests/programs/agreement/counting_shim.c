/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counting_shim.c - count a program's calls of malloc, for comparison
 *
 * Preloaded, it counts allocations, frees, requested bytes and freed bytes of
 * one process in the file COUNTING_SHIM: four 64-bit words, mapped, so that
 * they survive any end of the process. Its children are not counted. A realloc
 * is one allocation and one free; a failed request does not count. Calls are
 * passed on to the next malloc: glibc's, the program's own, or Tally's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PLACES = 1 << 22 };

void *pvalloc(size_t size);
void *valloc(size_t size);
void *memalign(size_t alignment, size_t size);

static struct {
    _Alignas(PAGE) atomic_ullong allocations;
    atomic_ullong frees;
    atomic_ullong bytes;
    atomic_ullong freed;
} counts;
static bool is_child;

/* Sizes of live blocks; open addressing, without empty slots between a block's
   first slot and its own. */
static struct {
    atomic_flag is_taken;
    struct {
        uintptr_t block; /* 0: empty */
        size_t size;
    } places[PLACES];
} sizes;

static size_t place_of(uintptr_t block)
{
    return block * UINT64_C(0x9e3779b97f4a7c15) >> 42;
}

static void lock(void)
{
    while (atomic_flag_test_and_set(&sizes.is_taken))
        sched_yield();
}

static void unlock(void)
{
    atomic_flag_clear(&sizes.is_taken);
}

static void enter(void *block, size_t size)
{
    size_t at = place_of((uintptr_t)block);

    lock();
    while (sizes.places[at].block != 0)
        at = (at + 1) % PLACES;
    sizes.places[at].block = (uintptr_t)block;
    sizes.places[at].size = size;
    unlock();
}

/* Remove a block and return its size; 0 if it is unknown. */
static size_t leave(void *block)
{
    size_t at = place_of((uintptr_t)block), hole, size = 0;

    lock();
    while (sizes.places[at].block != 0 &&
           sizes.places[at].block != (uintptr_t)block)
        at = (at + 1) % PLACES;
    if (sizes.places[at].block != 0)
        size = sizes.places[at].size;
    for (hole = at; sizes.places[at].block != 0;) {
        sizes.places[hole].block = 0;
        do {
            at = (at + 1) % PLACES;
        } while (sizes.places[at].block != 0 &&
                 (at - place_of(sizes.places[at].block)) % PLACES <
                     (at - hole) % PLACES);
        sizes.places[hole] = sizes.places[at];
        hole = at;
    }
    unlock();
    return size;
}

/* Functions called without the shim; NULL until the first call. */
static struct {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *block, size_t size);
    void *(*memalign)(size_t alignment, size_t size);
    void (*free)(void *block);
} next;

#define FIND(name)                                    \
    __extension__({                                   \
        void *symbol_ = dlsym(RTLD_NEXT, #name);      \
                                                      \
        memcpy(&next.name, &symbol_, sizeof symbol_); \
    })

/* Find all functions, free last; two threads may both do so. */
static inline void find_next(void)
{
    if (next.free != NULL)
        return;
    FIND(malloc);
    FIND(calloc);
    FIND(realloc);
    FIND(memalign);
    FIND(free);
}

static void leave_parent(void)
{
    is_child = true;
}

/* Copy the counts so far to the file, which then replaces them. */
__attribute__((constructor)) static void map_counts(void)
{
    const char *path = getenv("COUNTING_SHIM");
    int file = path ? open(path, O_RDWR | O_CREAT | O_EXCL, 0600) : -1;
    if (file < 0) {
        is_child = true; /* the parent made the file */
        return;
    }
    if (write(file, &counts, PAGE) != PAGE ||
        mmap(&counts, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             file, 0) == MAP_FAILED)
        _exit(126);
    close(file);
    pthread_atfork(NULL, NULL, leave_parent);
}

static void *counted(void *block, size_t size)
{
    if (block && !is_child) {
        atomic_fetch_add(&counts.allocations, 1);
        atomic_fetch_add(&counts.bytes, size);
        enter(block, size);
    }
    return block;
}

static void count_free(size_t size)
{
    if (is_child)
        return;
    atomic_fetch_add(&counts.frees, 1);
    atomic_fetch_add(&counts.freed, size);
}

void *malloc(size_t size)
{
    find_next();
    return counted(next.malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
    find_next();
    return counted(next.calloc(count, size), count * size);
}

void free(void *block)
{
    if (block && !is_child)
        count_free(leave(block));
    find_next();
    next.free(block);
}

void *realloc(void *block, size_t size)
{
    find_next();
    /* Before the free: afterwards another thread may have the block. */
    size_t freed = block && !is_child ? leave(block) : 0;
    void *moved = next.realloc(block, size);
    if (block && (moved || size == 0))
        count_free(freed);
    else if (block && !is_child)
        enter(block, freed);
    return counted(moved, size);
}

void *reallocarray(void *block, size_t count, size_t size)
{
    if (__builtin_mul_overflow(count, size, &size)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, size);
}

void *memalign(size_t alignment, size_t size)
{
    find_next();
    return counted(next.memalign(alignment, size), size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

void *valloc(size_t size)
{
    return memalign(PAGE, size);
}

void *pvalloc(size_t size)
{
    return memalign(PAGE, (size + PAGE - 1) & ~(size_t)(PAGE - 1));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 ||
        (alignment & (alignment - 1)) != 0)
        return EINVAL;
    void *made = memalign(alignment, size);
    if (!made)
        return ENOMEM;
    *block = made;
    return 0;
}
