/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc_headers.h - include the C library headers that tally/malloc.h wraps
 *
 * These headers must be included before their functions become macros. But a
 * program selects features in its first lines (#define _GNU_SOURCE), and `cc
 * -include tally/malloc.h` puts this header before them. So the four headers
 * below are read with all features, and the selection is then restored: the
 * including header undefines _FEATURES_H and _SYS_CDEFS_H at its end, so that
 * later headers evaluate the program's selection. Some names mean different
 * functions under different features, or collide with a program's own
 * functions; they are resolved at their use, by the program's selection.
 */
#ifndef TALLY_PRIVATE_LIBC_HEADERS_H
#define TALLY_PRIVATE_LIBC_HEADERS_H

#pragma GCC system_header

#include "tally/config.h"

#if !defined __cplusplus && !defined _GNU_SOURCE && !defined _FEATURES_H
#define TALLY_ALL_FEATURES 1

#pragma push_macro("_GNU_SOURCE")
#pragma push_macro("_ISOC95_SOURCE")
#pragma push_macro("_ISOC99_SOURCE")
#pragma push_macro("_ISOC11_SOURCE")
#pragma push_macro("_ISOC2X_SOURCE")
#pragma push_macro("_POSIX_SOURCE")
#pragma push_macro("_POSIX_C_SOURCE")
#pragma push_macro("_XOPEN_SOURCE")
#pragma push_macro("_XOPEN_SOURCE_EXTENDED")
#pragma push_macro("_LARGEFILE64_SOURCE")
#pragma push_macro("_DEFAULT_SOURCE")
#pragma push_macro("_ATFILE_SOURCE")
#pragma push_macro("_DYNAMIC_STACK_SIZE_SOURCE")

#define _GNU_SOURCE 1
#define basename    tally_unused_basename
#define strchrnul   tally_unused_strchrnul
#define rawmemchr   tally_unused_rawmemchr
#define memrchr     tally_unused_memrchr
#define mempcpy     tally_unused_mempcpy
#define strcasestr  tally_unused_strcasestr
#endif

#ifndef __cplusplus
#define TALLY_NOTHROW
#define TALLY_EXTERN_C extern
#else
#define TALLY_EXTERN_C extern "C"
#if __cplusplus < 201103L
#define TALLY_NOTHROW throw()
#else
#define TALLY_NOTHROW noexcept
#endif
#endif

/* Redirect free(). clang++ -g ignores a new assembler name once it has seen a
   declaration. */
#if defined __clang__ && defined __cplusplus && defined _STDLIB_H
#define TALLY_KEEPS_FREE 1
#elif TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING)
TALLY_EXTERN_C void free(void *block) TALLY_NOTHROW __asm__("tally_free");
#endif

/* Headers of gnulib, which lie before libc's, are an error before config.h. */
#ifndef _GL_CONFIG_H_INCLUDED
#define _GL_CONFIG_H_INCLUDED 1
#define TALLY_BEFORE_GNULIB   1
#endif

#ifdef __cplusplus
#include <cstdio>
#include <cstdlib>
#include <cstring>
#endif
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#ifdef TALLY_BEFORE_GNULIB
#undef _GL_CONFIG_H_INCLUDED
#undef TALLY_BEFORE_GNULIB
#endif

#ifdef TALLY_ALL_FEATURES
#undef basename
#undef strchrnul
#undef rawmemchr
#undef memrchr
#undef mempcpy
#undef strcasestr

#pragma pop_macro("_GNU_SOURCE")
#pragma pop_macro("_ISOC95_SOURCE")
#pragma pop_macro("_ISOC99_SOURCE")
#pragma pop_macro("_ISOC11_SOURCE")
#pragma pop_macro("_ISOC2X_SOURCE")
#pragma pop_macro("_POSIX_SOURCE")
#pragma pop_macro("_POSIX_C_SOURCE")
#pragma pop_macro("_XOPEN_SOURCE")
#pragma pop_macro("_XOPEN_SOURCE_EXTENDED")
#pragma pop_macro("_LARGEFILE64_SOURCE")
#pragma pop_macro("_DEFAULT_SOURCE")
#pragma pop_macro("_ATFILE_SOURCE")
#pragma pop_macro("_DYNAMIC_STACK_SIZE_SOURCE")

#ifdef __GLIBC__
/* Expand to NAME_ or NAME_1 if the program defined _GNU_SOURCE, else to
   NAME__GNU_SOURCE. */
#define TALLY_BY_FEATURE(name, feature) TALLY_BY_FEATURE_PASTE(name, feature)

#define TALLY_BY_FEATURE_PASTE(name, feature) name##feature

#ifndef strerror_r /* gnulib's string.h defines it */
extern char *tally_strerror_r_(int, char *, size_t) __asm__("strerror_r");
extern char *tally_strerror_r_1(int, char *, size_t) __asm__("strerror_r");
extern int tally_strerror_r__GNU_SOURCE(int, char *,
                                        size_t) __asm__("__xpg_strerror_r");
#define strerror_r TALLY_BY_FEATURE(tally_strerror_r_, _GNU_SOURCE)
#endif

extern char *tally_basename_(const char *) __asm__("basename");
extern char *tally_basename_1(const char *) __asm__("basename");
#define tally_basename__GNU_SOURCE basename

#define basename TALLY_BY_FEATURE(tally_basename_, _GNU_SOURCE)

/* Programs that do not select these may define their own, even static ones. */
#define TALLY_GNU(type, name, parameters)                  \
    extern type tally_##name##_ parameters __asm__(#name); \
    extern type tally_##name##_1 parameters __asm__(#name);
TALLY_GNU(char *, strchrnul, (const char *, int))
TALLY_GNU(void *, rawmemchr, (const void *, int))
TALLY_GNU(void *, memrchr, (const void *, int, size_t))
TALLY_GNU(void *, mempcpy, (void *, const void *, size_t))
TALLY_GNU(char *, strcasestr, (const char *, const char *))
#undef TALLY_GNU
#define tally_strchrnul__GNU_SOURCE  strchrnul
#define tally_rawmemchr__GNU_SOURCE  rawmemchr
#define tally_memrchr__GNU_SOURCE    memrchr
#define tally_mempcpy__GNU_SOURCE    mempcpy
#define tally_strcasestr__GNU_SOURCE strcasestr

#define strchrnul  TALLY_BY_FEATURE(tally_strchrnul_, _GNU_SOURCE)
#define rawmemchr  TALLY_BY_FEATURE(tally_rawmemchr_, _GNU_SOURCE)
#define memrchr    TALLY_BY_FEATURE(tally_memrchr_, _GNU_SOURCE)
#define mempcpy    TALLY_BY_FEATURE(tally_mempcpy_, _GNU_SOURCE)
#define strcasestr TALLY_BY_FEATURE(tally_strcasestr_, _GNU_SOURCE)
#endif
#endif /* TALLY_ALL_FEATURES */

#endif /* TALLY_PRIVATE_LIBC_HEADERS_H */
