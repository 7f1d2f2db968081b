/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place_names.h - what names of files and functions say of where a thread is
 */
#pragma once

#include <stdbool.h>

enum file_kind {
    FILE_OTHER,
    FILE_LIBC,
    FILE_NEVER,          /* no call is safe below it */
    FILE_WITH_ALLOCATOR, /* one of its own, by its symbols */
};

enum file_kind file_kind_of(const char *path);

enum place_list {
    ALLOCATOR_MARK, /* only an allocator's file defines it */
    ALLOCATOR,      /* of an allocator, in a file that has one */
    ONLY_WAITING,   /* of libc: locks nothing there, however it waits */
    FORBIDDEN,      /* of libc: locks, or may ask the loader */
};

/* A symbol may have a version: read@@GLIBC_2.2.5. */
bool place_is_named(const char *symbol, const char *name);
bool place_is(enum place_list list, const char *name);
