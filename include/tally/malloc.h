/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc.h - the C library's allocation functions, charged to their callers
 *
 *     char *copy = strdup("charged to this line");
 *
 *     free(copy);
 *
 * works with `cc -include tally/malloc.h prog.c $(pkg-config --cflags --libs
 * tally)` and no change to prog.c.
 *
 * Every call of malloc, calloc, realloc, reallocarray, aligned_alloc,
 * posix_memalign, memalign, valloc, pvalloc, strdup, strndup, asprintf,
 * vasprintf, getline and getdelim in a source that includes this header has its
 * own tag (tally/alloc_tag.h), which its block is charged to. Not covered in
 * C++: operator new, and getline and getdelim, whose names std::getline()
 * shares. realloc() charges the block to its own line. free() and realloc()
 * take blocks charged to any tag.
 *
 * A helper that allocates for its callers uses the _noprof forms, which charge
 * the enclosing hook:
 *
 *     void *malloc_noprof(size_t size);        // and so on for each of them
 *
 * While recording is off, a call costs three more instructions, clang's free()
 * five. See docs/tags.md for blocks that other code frees, sources that must
 * not include this header, and checks of configure, CMake and Meson.
 */
#pragma GCC system_header

/* clang-format off */
/* Skip other languages, which -include reaches, too, and old preprocessors,
   which do not know __has_include. */
#if (defined __STDC__ || defined __cplusplus) && !defined __OBJC__ && \
    !defined __ASSEMBLER__ && !defined __ASSEMBLY__ && !defined __bpf__ && \
    !defined __OPENCL_C_VERSION__ && !defined __OPENCL_CPP_VERSION__ && \
    !defined __CUDA__ && !defined __CUDACC__ && !defined __HIP__

/* Skip sources compiled without libc's headers, and probes of configure, Meson
   and CMake, recognized by files beside them. */
#if !defined TALLY_MALLOC_H && !defined CHECK_FUNCTION_EXISTS && \
    (!__STDC_HOSTED__ || __has_include(<stdlib.h>)) && \
    !__has_include("/proc/self/cwd/confdefs.h") && \
    !__has_include("/proc/self/cwd/../sanitycheckc.c") && \
    !__has_include("/proc/self/cwd/../sanitycheckcpp.cc") && \
    !__has_include("/proc/self/cwd/../../CMakeOutput.log") && \
    !__has_include("/proc/self/cwd/../../CMakeConfigureLog.yaml")
/* clang-format on */
#define TALLY_MALLOC_H

#include "tally/config.h"

#if TALLY_HAS(LIBC) /* must precede all other includes */
#include "tally/private/libc_headers.h"
#endif

#include "tally/alloc_tag.h"
#include "tally/tagged.h"

#if !TALLY_HAS(LIBC)
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

#ifdef __clang__ /* clang -pedantic warns about each call */
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif

/* Each macro expands to the function's own name, which may also be the name of
   a member or variable. The last argument carries the tag. */
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

/* Plain hooks, for three reasons: gcc would turn an inline reallocarray() into
   a function, stdio.h has inline versions of others, and wrappers cannot pass
   "..." on. */
#define reallocarray(...) TALLY_IF_3(reallocarray, __VA_ARGS__)
#define asprintf(...)     alloc_hooks(asprintf_noprof(__VA_ARGS__))
#define vasprintf(...)    alloc_hooks(vasprintf_noprof(__VA_ARGS__))

#ifndef __cplusplus /* a program's own getline() has two parameters */
#define getline(...)  TALLY_IF_3(getline, __VA_ARGS__)
#define getdelim(...) TALLY_IF_4(getdelim, __VA_ARGS__)
#endif

#endif

#ifdef TALLY_ALL_FEATURES /* later headers ask again: libc_headers.h */
#undef _FEATURES_H
#undef _SYS_CDEFS_H
#endif

#endif /* TALLY_MALLOC_H */
#endif /* C or C++ */
