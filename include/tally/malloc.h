/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc.h - the C library's allocation functions, charged to their callers
 *
 *     char *copy = strdup("charged to this line");
 *
 *     free(copy);
 *
 * with `cc -include tally/malloc.h prog.c $(pkg-config --cflags --libs tally)`,
 * and no change to prog.c.
 *
 * Every call of malloc, calloc, realloc, reallocarray, aligned_alloc,
 * posix_memalign, memalign, valloc, pvalloc, strdup, strndup, asprintf,
 * vasprintf, getline and getdelim in a source that includes this has a tag of
 * its own (tally/alloc_tag.h), and its block is charged there. In C++ these are
 * left alone: operator new, and getline and getdelim, which std::getline()
 * shares. realloc() charges the block to its own line. free() and realloc()
 * take blocks that are charged anywhere.
 *
 * A helper that allocates for its callers uses the _noprof forms, which charge
 * the hook that is in force:
 *
 *     void *malloc_noprof(size_t size);        // and so on for each of them
 *
 * While nothing is recorded a call costs three instructions more, clang's
 * free() five. docs/tags.md: blocks that other code frees, sources that must
 * not include this header, and the checks of configure, CMake and Meson.
 */
#pragma GCC system_header

/* Not in what configure, Meson and CMake compile, known by files beside it. */
/* clang-format off */
#if !defined TALLY_MALLOC_H && !defined CHECK_FUNCTION_EXISTS && \
    !__has_include("/proc/self/cwd/confdefs.h") && \
    !__has_include("/proc/self/cwd/../sanitycheckc.c") && \
    !__has_include("/proc/self/cwd/../../CMakeOutput.log") && \
    !__has_include("/proc/self/cwd/../../CMakeConfigureLog.yaml")
/* clang-format on */
#define TALLY_MALLOC_H

#if __STDC_HOSTED__ /* before any other */
#include "tally/private/libc_headers.h"
#endif

#include "tally/alloc_tag.h"
#include "tally/tagged.h"

#if !__STDC_HOSTED__
#include "tally/private/malloc_freestanding.h"

#define malloc(...)        alloc_hooks(malloc_noprof(__VA_ARGS__))
#define calloc(...)        alloc_hooks(calloc_noprof(__VA_ARGS__))
#define realloc(...)       alloc_hooks(realloc_noprof(__VA_ARGS__))
#define aligned_alloc(...) alloc_hooks(aligned_alloc_noprof(__VA_ARGS__))
#define free(block)        tally_tag_free(block)

#elif !TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING)
#include "tally/private/malloc_plain.h"
#else

#include "tally/private/malloc_arguments.h"
#include "tally/private/malloc_family.h"

#ifdef __cplusplus
#include "tally/private/malloc_overloads.h"
#else
#include "tally/private/malloc_wrappers.h"
#endif

#ifdef __clang__ /* with -pedantic, of each call */
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif

/*
 * Each macro begins with the function's own name, so that it may also be that
 * of a member or variable. The last argument is the one that brings the tag.
 */
#define malloc(...)        malloc(__VA_OPT__(TALLY_HERE_1(__VA_ARGS__)))
#define valloc(...)        valloc(__VA_OPT__(TALLY_HERE_1(__VA_ARGS__)))
#define pvalloc(...)       pvalloc(__VA_OPT__(TALLY_HERE_1(__VA_ARGS__)))
#define strdup(...)        strdup(__VA_OPT__(TALLY_HERE_1(__VA_ARGS__)))
#define calloc(...)        calloc(__VA_OPT__(TALLY_HERE_2(__VA_ARGS__)))
#define realloc(...)       realloc(__VA_OPT__(TALLY_MOVE_2(__VA_ARGS__)))
#define aligned_alloc(...) aligned_alloc(__VA_OPT__(TALLY_HERE_2(__VA_ARGS__)))
#define memalign(...)      memalign(__VA_OPT__(TALLY_HERE_2(__VA_ARGS__)))
#define strndup(...)       strndup(__VA_OPT__(TALLY_HERE_2(__VA_ARGS__)))
#define posix_memalign(...) \
    posix_memalign(__VA_OPT__(TALLY_HERE_3(__VA_ARGS__)))

/* These are plain hooks. gcc would make a function of an inline reallocarray(),
   stdio.h has inline functions for others, and no wrapper hands on "...". */
#define reallocarray(...) TALLY_IF_3(reallocarray, __VA_ARGS__)
#define asprintf(...)     alloc_hooks(asprintf_noprof(__VA_ARGS__))
#define vasprintf(...)    alloc_hooks(vasprintf_noprof(__VA_ARGS__))

#ifndef __cplusplus /* another program's own getline() has two parameters */
#define getline(...)  TALLY_IF_3(getline, __VA_ARGS__)
#define getdelim(...) TALLY_IF_4(getdelim, __VA_ARGS__)
#endif

#endif

#ifdef TALLY_ALL_FEATURES /* other headers ask again: libc_headers.h */
#undef _FEATURES_H
#undef _SYS_CDEFS_H
#endif

#endif /* TALLY_MALLOC_H */
