/* SPDX-License-Identifier: Apache-2.0 */
/* real_functions.c - finding the real allocator; see real_functions.h */
#define _GNU_SOURCE
#include "recorder/real_functions.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "ledger/modules.h"
#include "ports/posix/raw_calls.h"
#include "recorder/alone_calls.h"
#include "recorder/bootstrap_arena.h"

enum finding { UNFOUND, FINDING, FOUND };

static uint32_t finding;
static void *in_glibc; /* an address; NULL: another C library */

bool real_functions_are_found(void)
{
    return __atomic_load_n(&finding, __ATOMIC_ACQUIRE) == FOUND;
}

static bool find(void)
{
    real_functions_find();
    return real_functions_are_found();
}

static void *early_malloc(size_t size)
{
    return find() ? real.malloc(size) : bootstrap_alloc(1, size);
}

static void *early_calloc(size_t count, size_t size)
{
    size_t bytes;

    if (find())
        return real.calloc(count, size);
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return bootstrap_alloc(1, bytes);
}

static void *early_realloc(void *block, size_t size)
{
    size_t old = block == NULL ? 0 : bootstrap_size(block);
    void *moved;

    if (find())
        return real.realloc(block, size);
    moved = bootstrap_alloc(1, size);
    if (moved != NULL && block != NULL)
        memcpy(moved, block, old < size ? old : size);
    return moved;
}

static void early_free(void *block)
{
    if (find())
        real.free(block);
}

static int early_posix_memalign(void **block, size_t alignment, size_t size)
{
    if (find())
        return real.posix_memalign(block, alignment, size);
    *block = bootstrap_alloc(alignment, size);
    return *block == NULL ? ENOMEM : 0;
}

static void *early_aligned_alloc(size_t alignment, size_t size)
{
    return find() ? real.aligned_alloc(alignment, size)
                  : bootstrap_alloc(alignment, size);
}

static void *early_memalign(size_t alignment, size_t size)
{
    return find() ? real.memalign(alignment, size)
                  : bootstrap_alloc(alignment, size);
}

static void *early_valloc(size_t size)
{
    return find() ? real.valloc(size) : bootstrap_alloc(4096, size);
}

static void *early_pvalloc(size_t size)
{
    return find() ? real.pvalloc(size) : bootstrap_alloc(4096, size);
}

static size_t early_usable_size(void *block)
{
    return find() ? real.malloc_usable_size(block) : bootstrap_size(block);
}

static long errno_of(long result)
{
    if (!raw_failed(result))
        return result;
    errno = (int)-result;
    return -1;
}

static void *early_mmap(void *at, size_t size, int protection, int flags,
                        int fd, off_t offset)
{
    if (find())
        return real.mmap(at, size, protection, flags, fd, offset);
    return (void *)errno_of(
        raw_mmap(at, size, protection, flags, fd, (uint64_t)offset));
}

static int early_munmap(void *at, size_t size)
{
    return find() ? real.munmap(at, size) : (int)errno_of(raw_munmap(at, size));
}

static void *early_mremap(void *old, size_t old_size, size_t new_size,
                          int flags, ...)
{
    void *target;
    va_list arguments;

    va_start(arguments, flags);
    target = va_arg(arguments, void *);
    va_end(arguments);
    if (find())
        return real.mremap(old, old_size, new_size, flags, target);
    return (void *)errno_of(raw_mremap(old, old_size, new_size, flags, target));
}

struct real_functions real = {
    .malloc = early_malloc,
    .calloc = early_calloc,
    .realloc = early_realloc,
    .free = early_free,
    .posix_memalign = early_posix_memalign,
    .aligned_alloc = early_aligned_alloc,
    .memalign = early_memalign,
    .valloc = early_valloc,
    .pvalloc = early_pvalloc,
    .malloc_usable_size = early_usable_size,
    .mmap = early_mmap,
    .munmap = early_munmap,
    .mremap = early_mremap,
};

/* dlsym returns an object pointer; POSIX lets it be copied into a function. */
static void find_next(const char *name, void *slot)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    if (symbol != NULL)
        memcpy(slot, &symbol, sizeof symbol);
}

void real_functions_find(void)
{
    struct real_functions found = real;
    uint32_t unfound = UNFOUND;
    int error = errno;

    if (!__atomic_compare_exchange_n(&finding, &unfound, FINDING, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    find_next("malloc", &found.malloc);
    find_next("calloc", &found.calloc);
    find_next("realloc", &found.realloc);
    find_next("free", &found.free);
    find_next("posix_memalign", &found.posix_memalign);
    find_next("aligned_alloc", &found.aligned_alloc);
    find_next("memalign", &found.memalign);
    find_next("valloc", &found.valloc);
    find_next("pvalloc", &found.pvalloc);
    find_next("malloc_usable_size", &found.malloc_usable_size);
    find_next("mmap", &found.mmap);
    find_next("munmap", &found.munmap);
    find_next("mremap", &found.mremap);
#define FIND_LATER(name) find_next(#name, &found.name);
    REAL_LATER_LIST(FIND_LATER)
#undef FIND_LATER
    in_glibc = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    dlerror(); /* what is not there is no error of the program's */
    real = found;
    __atomic_store_n(&finding, FOUND, __ATOMIC_RELEASE);
    alone_calls_shorten();
    errno = error;
}

void real_functions_find_optional(void)
{
    int error = errno;

    find_next("free_sized", &real.free_sized);
    find_next("free_aligned_sized", &real.free_aligned_sized);
    dlerror();
    errno = error;
}

bool real_is_libc(void)
{
    void *in_allocator;

    memcpy(&in_allocator, &real.malloc, sizeof in_allocator);
    return in_glibc != NULL && modules_are_same(in_allocator, in_glibc);
}

bool real_has_glibc(void)
{
    return in_glibc != NULL;
}
