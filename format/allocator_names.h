/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocator_names.h - allocators, and the names of functions that are patched
 *
 * The command looks for these names (tool/patch/plan.c), and the recorder has a
 * function for each (recorder/process/patches.c, prefixed.c): a name that only
 * one of them knows does not compile.
 */
#pragma once

#include <string.h>

#include "format/text_after.h"

/*
 * Allocators with functions besides malloc: X(marker, prefix, library,
 * operators). The marker is a function of each version, the prefix that of its
 * names, the library a part of its file's name; the last is a function that is
 * there if operators new and delete are. jemalloc's own functions have no
 * prefix, and end in allocx.
 */
#define ALLOCATORS(X)                           \
    X("mallocx", "", "jemalloc", "mallocx")     \
    X("mi_malloc", "mi_", "mimalloc", "mi_new") \
    X("tc_malloc", "tc_", "tcmalloc", "tc_new")

/* Functions of allocators only, each between two blanks; malloc itself is one:
   an executable's own malloc precedes a preloaded one. */
#define ALLOCATOR_MALLOCS \
    " malloc mi_malloc je_malloc tc_malloc _rjem_je_malloc _rjem_malloc "

/* Return the name of an allocator's function without its prefix, or NULL. */
static inline const char *allocator_own_name(const char *name,
                                             const char *prefix)
{
    const char *rest = text_after(name, prefix);

    return rest == name && strstr(name, "allocx") == NULL ? NULL : rest;
}

/* the malloc family */
#define FAMILY_NAMES(X) \
    X(malloc)           \
    X(calloc)           \
    X(realloc)          \
    X(free)             \
    X(memalign)         \
    X(aligned_alloc)    \
    X(valloc)           \
    X(pvalloc)          \
    X(posix_memalign)

/* other functions of libc, which it calls itself without using their names */
#define SERVICE_NAMES(X) \
    X(mmap) X(munmap) X(mremap) X(dlclose) X(pthread_create) X(execve)

/* functions that run programs, besides execve */
#define EXEC_NAMES(X) \
    X(execv)          \
    X(execvp)         \
    X(execvpe)        \
    X(execl)          \
    X(execlp)         \
    X(execle)         \
    X(execveat)       \
    X(fexecve)        \
    X(posix_spawn)    \
    X(posix_spawnp)

/* functions that may install a filter: recorder/process/watched_calls.c */
#define FILTER_NAMES(X) X(prctl) X(syscall)

/* functions of allocators with a prefix, without it */
#define PREFIXED_NAMES(X) \
    X(malloc)             \
    X(calloc)             \
    X(realloc)            \
    X(free)               \
    X(memalign)           \
    X(aligned_alloc)      \
    X(posix_memalign)     \
    X(mallocx)            \
    X(rallocx)            \
    X(xallocx)            \
    X(dallocx)            \
    X(sdallocx)           \
    X(zalloc)             \
    X(malloc_aligned)     \
    X(zalloc_aligned)     \
    X(realloc_aligned)    \
    X(free_size)          \
    X(free_aligned)       \
    X(free_size_aligned)

/* functions of these that may stay unpatched, as they call the others */
#define OPTIONAL_PREFIXED_NAMES(X) \
    X(valloc)                      \
    X(pvalloc)                     \
    X(mallocn)                     \
    X(reallocn)                    \
    X(reallocf)                    \
    X(reallocarray)                \
    X(rezalloc)                    \
    X(recalloc)                    \
    X(expand)                      \
    X(malloc_small)                \
    X(zalloc_small)                \
    X(malloc_skip_new_handler)     \
    X(cfree)                       \
    X(free_sized)
