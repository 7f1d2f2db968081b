/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc.h - the C library's allocation functions, charged to their callers
 *
 *     cc -include tally/malloc.h prog.c $(pkg-config --cflags --libs tally)
 *
 * Every call of malloc, calloc, realloc, reallocarray, aligned_alloc,
 * posix_memalign, memalign, valloc, pvalloc, strdup, strndup, asprintf, vasprintf,
 * getline and getdelim in a source that includes this has a tag of its own, and
 * what it gives is charged there. free() and realloc() take what is charged
 * anywhere.
 *
 * What is charged here and freed by code that was compiled without this header (a
 * library that takes a block over, a source left out) stays in its row until this
 * header's calls are given that memory again. The row then says accurate:no
 * (tally/allocinfo.h) for good, and how many such blocks there were; until then
 * it is not known. A block that such code resizes in place keeps its row and size. For
 * rows that are exact there, too, run the program under `tally record`, or link
 * the recorder, which sees every free.
 *
 * A helper that allocates for its callers uses the _noprof forms, which charge
 * the hook that is in force (tally/alloc_tag.h):
 *
 *     void *malloc_noprof(size_t size);             and so on for each of them
 *
 * Programs need not be changed: members and variables that are called malloc
 * work, and so do `&malloc`, std::malloc(), calls inside arguments, -ansi, -flto,
 * -static and the sanitizers. A function that is called by its address gives
 * blocks that are not charged; free() and realloc() look then, too (in C++ only
 * free() does; with clang++ this header comes before stdlib.h then, as it does
 * by -include). (malloc)(5), which hides the macro, may be charged to a place
 * that called a member of that name before.
 *
 * A block that realloc() has resized is charged to the line of that call, in place
 * or moved, and no longer to the line of its first call.
 *
 * What does not work, so that such a source is compiled without this header:
 * declaring one of the functions with parameters, or defining it, in C++ also as
 * a member function; in C members called reallocarray, asprintf, vasprintf,
 * getline or getdelim with as many parameters; functions of one's own that are
 * called as an extension in stdio.h, stdlib.h, string.h or malloc.h that was not
 * asked for, but strchrnul, rawmemchr, memrchr, mempcpy, strcasestr, basename and
 * strerror_r, which go; in C++ calls outside functions. C++ leaves getline and
 * getdelim alone, for they are std::getline()'s too, and operator new. A program
 * that defines a macro malloc() of its own has that, and a compiler's warning.
 *
 * In the checks of configure, CMake and Meson this header is empty, so that they
 * find what they find without it. It knows them by files in the compiler's folder
 * or near it, through /proc: confdefs.h is there while configure runs. Without
 * /proc, checks of configure and Meson that declare a function anew fail, and those
 * that call malloc need libtally, as with CMake before 3.25.
 *
 * While nothing is recorded a call costs three instructions more: the address of
 * a word is loaded, the word compared, and a branch not taken. With clang free() costs
 * five, for its test is in libtally.
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
#include "tally/libc_headers.h"
#endif

#include "tally/alloc_tag.h"
#include "tally/tagged.h"

#if !__STDC_HOSTED__
#include "tally/malloc_freestanding.h"

#define malloc(...)        alloc_hooks(malloc_noprof(__VA_ARGS__))
#define calloc(...)        alloc_hooks(calloc_noprof(__VA_ARGS__))
#define realloc(...)       alloc_hooks(realloc_noprof(__VA_ARGS__))
#define aligned_alloc(...) alloc_hooks(aligned_alloc_noprof(__VA_ARGS__))
#define free(block)        tally_tag_free(block)

#elif !TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING)
#include "tally/malloc_plain.h"
#else

#include "tally/malloc_family.h"

#ifdef __cplusplus
#include "tally/malloc_overloads.h"
#else
#include "tally/malloc_wrappers.h"
#endif

#ifdef __clang__ /* with -pedantic, of each call */
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif

/*
 * Each macro begins with the function's own name, so that it may also be that of
 * a member or variable. The last argument is the one that brings the tag.
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

#define TALLY_HERE_1(a, ...) TALLY_HERE(a) __VA_OPT__(, __VA_ARGS__)
#define TALLY_HERE_2(a, ...) \
    TALLY_BESIDE(a) __VA_OPT__(, TALLY_HERE_1(__VA_ARGS__))
#define TALLY_MOVE_1(a, ...) TALLY_HERE_TO_MOVE(a) __VA_OPT__(, __VA_ARGS__)
#define TALLY_MOVE_2(a, ...) \
    TALLY_BESIDE(a) __VA_OPT__(, TALLY_MOVE_1(__VA_ARGS__))
#define TALLY_HERE_3(a, ...) \
    TALLY_BESIDE(a) __VA_OPT__(, TALLY_HERE_2(__VA_ARGS__))

/* These are plain hooks. gcc would make a function of an inline reallocarray(),
   stdio.h has inline functions for others, and no wrapper hands on "...". */
#define reallocarray(...) TALLY_IF_COUNT(3, reallocarray, __VA_ARGS__)
#define asprintf(...)     alloc_hooks(asprintf_noprof(__VA_ARGS__))
#define vasprintf(...)    alloc_hooks(vasprintf_noprof(__VA_ARGS__))

#ifndef __cplusplus /* another program's own getline() has two parameters */
#define getline(...)  TALLY_IF_COUNT(3, getline, __VA_ARGS__)
#define getdelim(...) TALLY_IF_COUNT(4, getdelim, __VA_ARGS__)
#endif

#define TALLY_IF_COUNT(count, name, ...)                                  \
    TALLY_IF_COUNT_(count, TALLY_COUNT(__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0)) \
    (name, __VA_ARGS__)
#define TALLY_IF_COUNT_(wanted, count)            TALLY_IF_COUNT_PASTE(wanted, count)
#define TALLY_IF_COUNT_PASTE(wanted, count)       TALLY_COUNT_##wanted##_##count
#define TALLY_COUNT(a, b, c, d, e, f, count, ...) count
#define TALLY_COUNT_PLAIN(name, ...)              name(__VA_ARGS__)
#define TALLY_COUNT_HOOK(name, ...)               alloc_hooks(name##_noprof(__VA_ARGS__))
#define TALLY_COUNT_3_1                           TALLY_COUNT_PLAIN
#define TALLY_COUNT_3_2                           TALLY_COUNT_PLAIN
#define TALLY_COUNT_3_3                           TALLY_COUNT_HOOK
#define TALLY_COUNT_3_4                           TALLY_COUNT_PLAIN
#define TALLY_COUNT_3_5                           TALLY_COUNT_PLAIN
#define TALLY_COUNT_3_6                           TALLY_COUNT_PLAIN
#define TALLY_COUNT_4_1                           TALLY_COUNT_PLAIN
#define TALLY_COUNT_4_2                           TALLY_COUNT_PLAIN
#define TALLY_COUNT_4_3                           TALLY_COUNT_PLAIN
#define TALLY_COUNT_4_4                           TALLY_COUNT_HOOK
#define TALLY_COUNT_4_5                           TALLY_COUNT_PLAIN
#define TALLY_COUNT_4_6                           TALLY_COUNT_PLAIN

#endif

#ifdef TALLY_ALL_FEATURES /* other headers ask again: libc_headers.h */
#undef _FEATURES_H
#undef _SYS_CDEFS_H
#endif

#endif /* TALLY_MALLOC_H */
