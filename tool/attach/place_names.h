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

/* A function that only an allocator's file defines. */
bool is_allocator_mark(const char *name);

/* A function of an allocator, in a file that has one. */
bool is_allocator(const char *name);

/* Of libc: nothing is locked there, however it does it. */
bool is_only_waiting(const char *name);

/* Of libc: something is locked, or the loader may be asked. */
bool is_forbidden(const char *name);
