/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - allocation that ends the command if memory runs out
 *
 * A report without some of its memory would be wrong. So a failed request ends
 * the command, with status 2 and one line:
 *
 *     tally: WHAT: there is not enough memory PURPOSE; free some and try again
 *
 * Not for tally record and its helpers, which must not end a recording.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Use of memory, for the line. */
struct memory_use {
    const char *what;    /* source, option or command, or NULL */
    const char *purpose; /* " to load it", or "" */
    bool has_libraries;  /* requests of libraries end the command, too */
};

/* Set this thread's use of memory (NULL: unknown) and return the previous one,
   for the caller to restore. */
const struct memory_use *memory_use(const struct memory_use *use);

/* Set a function to call before that line, to remove a partial file or leave a
   screen; NULL: none. */
void memory_undo(void (*undo)(void));

/* Use for names: libdw may ignore its own failed requests. */
extern const struct memory_use memory_for_names;

/* Return `block`, or end the command if it is NULL. */
void *memory_or_exit(void *block);

/* End the command because memory ran out. */
_Noreturn void exit_out_of_memory(void);

/* Return a block for free(), never NULL. */
void *memory_zeroed(size_t count, size_t size);
void *memory_resized(void *block, size_t count, size_t size);
char *memory_text(const char *text);
char *memory_print(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
