/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executable.h - can a program that is about to run be recorded?
 *
 * Called in the child between fork and exec, so: system calls only, little
 * stack, errno untouched.
 */
#pragma once

enum executable_kind {
    EXECUTABLE_DYNAMIC,   /* or unreadable, or no ELF file: no objection */
    EXECUTABLE_STATIC,    /* no loader, so no preload */
    EXECUTABLE_SETUID,    /* the loader ignores preloads */
    EXECUTABLE_FOREIGN,   /* another libc or processor: preloads break it */
    EXECUTABLE_SANITIZED, /* preloads break it as well: program_facts.h */
};

/* Return the kind of the file at `path`, or of its interpreter if it is a
   script. */
enum executable_kind executable_kind_of(const char *path);

/* Return the kind of an open file; its position is untouched. */
enum executable_kind executable_kind_at(int fd);
