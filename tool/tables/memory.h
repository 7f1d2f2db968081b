/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - memory that is there, or the command ends
 *
 * A report without all of its memory is no report. So a request that fails ends
 * the command, with status 2 and one line:
 *
 *     tally: WHAT: there is not enough memory PURPOSE; free some and try again
 *
 * Not for tally record and what it starts: a program is being recorded there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What memory is used for, as the line says it. */
struct memory_use {
    const char *what;    /* a source, an option or a command; NULL: nothing */
    const char *purpose; /* " to load it", or "" */
    bool has_libraries;  /* requests of libraries and of libc end it, too */
};

/*
 * What this thread uses memory for from now on; NULL: it is not known. Returns
 * what it was until now, for the caller to put back.
 */
const struct memory_use *memory_use(const struct memory_use *use);

/*
 * To be undone before that line: a file that was begun, a screen. One at a
 * time; NULL: nothing.
 */
void memory_undo(void (*undo)(void));

/* Names are whole: libdw may pass over a request of its own that failed. */
extern const struct memory_use memory_for_names;

/* `block`, which a function returned that allocates; NULL: the end. */
void *memory_got(void *block);

/* The end, after any other sign that there is no memory. */
_Noreturn void memory_end(void);

/* All for free(), and never NULL. */
void *memory_zeroed(size_t count, size_t size);
void *memory_resized(void *block, size_t count, size_t size);
char *memory_text(const char *text);
char *memory_print(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
