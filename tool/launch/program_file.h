/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_file.h - finding the program to run, and refusing what cannot be
 * recorded
 */
#pragma once

#include <limits.h>

#include "format/program_facts.h"
#include "tool/patch/plan.h"
#include "tool/session/session_failure.h"

struct program_file {
    char path[PATH_MAX]; /* what execve() gets */
    /* An allocator's function that the executable itself defines, or "" */
    char own_allocator[64];
    const char *guest; /* a program of another machine that this one emulates,
                          so that neither is recorded; or NULL */
    struct patch_plan plan; /* how it is recorded, too; count 0: it is not */
};

/*
 * Find a command's program as the shell does, follow a script to its
 * interpreter and the loader to the program in its arguments. Refuse a program
 * that the recorder cannot be preloaded into.
 */
int program_file_find(char *const command[], struct program_file *program,
                      struct session_failure *failure);

/* Read the facts in a program's headers; a file that cannot be read has
   none. */
void program_file_read(const char *path, struct program_facts *facts);
