/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real_functions.h - the allocator that the program would have had without us
 *
 * Each pointer begins at a function that finds the real one first, so that no
 * entry point has to ask whether we are ready. What is allocated while we look
 * comes from the bootstrap arena.
 */
#ifndef TALLY_RECORDER_REAL_FUNCTIONS_H
#define TALLY_RECORDER_REAL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "recorder/export.h"

struct real_functions {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *block, size_t size);
    void (*free)(void *block);
    int (*posix_memalign)(void **block, size_t alignment, size_t size);
    void *(*aligned_alloc)(size_t alignment, size_t size);
    void *(*memalign)(size_t alignment, size_t size);
    void *(*valloc)(size_t size);
    void *(*pvalloc)(size_t size);
    size_t (*malloc_usable_size)(void *block);
    void *(*mmap)(void *at, size_t size, int protection, int flags, int fd,
                  off_t offset);
    int (*munmap)(void *at, size_t size);
    void *(*mremap)(void *old, size_t old_size, size_t new_size, int flags,
                    ...);
    /* NULL where the allocator has none. */
    void (*free_sized)(void *block, size_t size);
    void (*free_aligned_sized)(void *block, size_t alignment, size_t size);
};

extern HIDDEN struct real_functions real;

/*
 * Store the definition of `name` behind ours in the function pointer at `slot`,
 * or leave it as it is when there is none. dlsym returns an object pointer;
 * POSIX lets it be copied into a function's.
 */
void real_find_next(const char *name, void *slot);

/* Find all of them. Idempotent; any thread. */
void real_functions_find(void);

/* Whether malloc is libc's own, with chunks of 16 bytes. */
bool real_is_libc(void);

#endif /* TALLY_RECORDER_REAL_FUNCTIONS_H */
