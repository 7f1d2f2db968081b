/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executable.h - whether a program that is about to run can be recorded
 *
 * Asked in the child between fork and exec, so: system calls only, little
 * stack, errno untouched.
 */
#pragma once

enum executable_kind {
    EXECUTABLE_DYNAMIC,   /* or unreadable, or no ELF file: nothing to say */
    EXECUTABLE_STATIC,    /* no loader, so no preload */
    EXECUTABLE_SETUID,    /* the loader ignores preloads */
    EXECUTABLE_FOREIGN,   /* another libc or machine: preloads break it */
    EXECUTABLE_SANITIZED, /* likewise: program_facts.h */
};

/* Of the file at `path`, or of its interpreter when it is a script. */
enum executable_kind executable_look(const char *path);

/* Of an open file; it stays open, its position untouched. */
enum executable_kind executable_look_at(int fd);
