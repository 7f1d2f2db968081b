/* SPDX-License-Identifier: Apache-2.0 */
/*
 * real_functions.h - the allocator that the program would have had without us
 *
 * Each pointer begins at a function that finds the real one first, so that no
 * entry point has to ask whether we are ready. Nothing is allocated for that.
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

#include "ledger/export.h"
#include "recorder/processor.h"

/* Those by which programs are run, beside execve. */
#define REAL_EXEC_LIST(X) \
    X(execv)              \
    X(execvp)             \
    X(execvpe)            \
    X(execl)              \
    X(execlp)             \
    X(execle)             \
    X(execveat)           \
    X(fexecve)            \
    X(posix_spawn)        \
    X(posix_spawnp)

/* Those that may install a filter: see watched_calls.c. */
#define REAL_FILTER_LIST(X) X(prctl) X(syscall)

/* Not called before main, or found when first called: use REAL(name). */
#define REAL_LATER_LIST(X) \
    X(dlopen)              \
    X(dlclose)             \
    X(clone)               \
    X(prctl)               \
    X(syscall)             \
    X(mlockall)            \
    X(munlockall)          \
    X(brk)                 \
    X(sbrk)                \
    X(execve)              \
    REAL_EXEC_LIST(X)      \
    X(pthread_create)      \
    X(thrd_create)

/* What hands blocks out: X(type, name, parameters, arguments). */
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

/* Others that libc calls by other ways than its names, where it is patched. */
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

/* Called before main. */
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
    /* libc's, which calls the first realloc there is. */
    void *(*reallocarray)(void *block, size_t count, size_t size);
};

extern HIDDEN struct real_functions real;

/* Find all of them; any thread, any number of times. */
void real_functions_find(void);

/* Return what `slot` of `real` points at, from a library that came later, as
   libpthread may before glibc 2.34; or a function that fails with ENOSYS. */
void *real_functions_find_late(void *slot);

#define REAL(name)             \
    (LIKELY(real.name != NULL) \
         ? real.name           \
         : (__typeof__(real.name))real_functions_find_late(&real.name))

/*
 * The malloc that the program calls was patched, and comes here: the pointers
 * are of what is behind it now. Before any thread but this one calls ours.
 */
void real_functions_patched(bool is_libc);

/* Another allocator hands out blocks beside it, which need not be 16 bytes. */
void real_functions_mixed(void);

/* Whether it lies in libc: once something is patched. */
bool real_is_libcs(uintptr_t address);

/* Whether no preload loaded us, but `tally attach`, say. */
bool real_is_loaded_late(void);

/* Whether the executable brings malloc itself: its calls, and its libraries',
   go there and not to us. */
bool real_is_past_executable(void);

/* Whether the program's calls of malloc come here: the first of its name is
   ours. */
bool real_is_behind_us(void);
