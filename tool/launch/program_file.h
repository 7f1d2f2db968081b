/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_file.h - the file that will be run, and whether it can be recorded
 */
#ifndef TALLY_TOOL_LAUNCH_PROGRAM_FILE_H
#define TALLY_TOOL_LAUNCH_PROGRAM_FILE_H

#include <limits.h>

#include "tool/session/session_failure.h"

struct program_file {
    char path[PATH_MAX]; /* what execve() gets */
    /* An allocator's function that the executable itself defines, or "". */
    char own_allocator[64];
};

/*
 * Find a command's program as the shell does, follow a script to its
 * interpreter and the loader to the program in its arguments. Refuse a program
 * that the recorder cannot be preloaded into.
 */
int program_file_find(char *const command[], struct program_file *program,
                      struct session_failure *failure);

#endif /* TALLY_TOOL_LAUNCH_PROGRAM_FILE_H */
