/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real_functions.h - the allocator that the program would use without us
 *
 * Each pointer begins at a function that finds the real one first, so that no
 * entry point has to check whether we are ready. Finding allocates nothing.
 */
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <threads.h>
#include <unistd.h>

#include "format/allocator_names.h"
#include "ledger/export.h"
#include "recorder/processor.h"

/* Not called before main, or found at the first call: use REAL(name). */
#define REAL_LATER_LIST(X) \
    X(dlopen)              \
    X(dlmopen)             \
    X(dlclose)             \
    X(clone)               \
    X(prctl)               \
    X(syscall)             \
    X(mlockall)            \
    X(munlockall)          \
    X(brk)                 \
    X(sbrk)                \
    X(execve)              \
    EXEC_NAMES(X)          \
    X(pthread_create)      \
    X(thrd_create)

/* Functions that return blocks: X(type, name, parameters, arguments). */
#define REAL_ALLOCATOR_LIST(X)               \
    X(void *, malloc, (size_t size), (size)) \
    REAL_BUT_MALLOC_LIST(X)

#define REAL_BUT_MALLOC_LIST(X)                                             \
    X(void *, calloc, (size_t count, size_t size), (count, size))           \
    X(void *, realloc, (void *block, size_t size), (block, size))           \
    X(int, posix_memalign, (void **block, size_t alignment, size_t size),   \
      (block, alignment, size))                                             \
    X(void *, aligned_alloc, (size_t alignment, size_t size),               \
      (alignment, size))                                                    \
    X(void *, memalign, (size_t alignment, size_t size), (alignment, size)) \
    X(void *, valloc, (size_t size), (size))                                \
    X(void *, pvalloc, (size_t size), (size))

/* Others that libc calls without using their names, if it is patched. */
#define REAL_SERVICE_LIST(X)                                                  \
    X(void *, mmap,                                                           \
      (void *at, size_t size, int protection, int flags, int fd,              \
       off_t offset),                                                         \
      (at, size, protection, flags, fd, offset))                              \
    X(int, munmap, (void *at, size_t size), (at, size))                       \
    X(void *, mremap,                                                         \
      (void *old, size_t old_size, size_t new_size, int flags, void *target), \
      (old, old_size, new_size, flags, target))                               \
    X(int, dlclose, (void *handle), (handle))                                 \
    X(int, execve,                                                            \
      (const char *path, char *const *arguments, char *const *environment),   \
      (path, arguments, environment))                                         \
    X(int, pthread_create,                                                    \
      (pthread_t * thread, const pthread_attr_t *attributes,                  \
       void *(*run)(void *), void *argument),                                 \
      (thread, attributes, run, argument))

/* functions that are called before main */
#define REAL_EARLY_LIST(X)                                       \
    REAL_ALLOCATOR_LIST(X)                                       \
    X(void, free, (void *block), (block))                        \
    X(size_t, malloc_usable_size, (void *block), (block))        \
    X(void *, mmap,                                              \
      (void *at, size_t size, int protection, int flags, int fd, \
       off_t offset),                                            \
      (at, size, protection, flags, fd, offset))                 \
    X(void *, mmap64,                                            \
      (void *at, size_t size, int protection, int flags, int fd, \
       off_t offset),                                            \
      (at, size, protection, flags, fd, offset))                 \
    X(int, munmap, (void *at, size_t size), (at, size))

struct real_functions {
#define REAL_FUNCTION(type, name, parameters, ...) type(*name) parameters;
    REAL_EARLY_LIST(REAL_FUNCTION)
    void *(*mremap)(void *old, size_t old_size, size_t new_size, int flags,
                    ...);
#define REAL_MEMBER(name) __typeof__(name) *name;
    REAL_LATER_LIST(REAL_MEMBER)
    /* libc's, which calls the first realloc */
    void *(*reallocarray)(void *block, size_t count, size_t size);
};

extern HIDDEN struct real_functions real;

/* Find all of them; any thread, any number of times. */
void real_functions_find(void);

/* Return the function of `slot` in `real`, from a library loaded later (as
   libpthread before glibc 2.34), or a function that fails with ENOSYS. */
void *real_functions_find_late(void *slot);

#define REAL(name)             \
    (LIKELY(real.name != NULL) \
         ? real.name           \
         : (__typeof__(real.name))real_functions_find_late(&real.name))

/* Note that the malloc the program calls was patched and comes here: the
   pointers now lead behind it. Called before any other thread calls ours. */
void real_functions_patched(bool is_libc);

/* Note that another allocator returns blocks too, which need not be 16 bytes
   apart. */
void real_functions_mixed(void);

/* Return true if the address lies in libc; valid once something is patched. */
bool real_is_libcs(uintptr_t address);

/* Return false for another C library, which a child may use. */
bool real_has_glibc(void);

/* Return true if malloc is libc's own, with chunks of 16 bytes. */
bool real_is_libc(void);

/* Return true if we were not preloaded: `tally attach`, for example. */
bool real_is_loaded_late(void);

/* Return true if the executable brings its own malloc, which its calls, and
   those of its libraries, reach instead of us. */
bool real_is_past_executable(void);

/* Return true if the program's calls of malloc reach us: ours is the first. */
bool real_is_behind_us(void);
