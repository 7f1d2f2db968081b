/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_memory.h - names are whole, or the command ends
 *
 * A request for memory that fails inside libdw and what it calls may be
 * swallowed, so that a name is missing or wrong, or end in an assertion or a
 * null pointer. Nor can what looks for a name say that it had no memory: NULL
 * is a name that is not known. So malloc, calloc and realloc are the command's
 * own: they ask the next ones, libc's or others'.
 */
#ifndef TALLY_TOOL_SYMBOLS_NAME_MEMORY_H
#define TALLY_TOOL_SYMBOLS_NAME_MEMORY_H

#include <stdbool.h>

/*
 * From true to false, a request of this thread that fails ends the command with
 * status 2 and one line. Pairs nest.
 */
void name_memory_is_needed(bool is_needed);

#endif /* TALLY_TOOL_SYMBOLS_NAME_MEMORY_H */
