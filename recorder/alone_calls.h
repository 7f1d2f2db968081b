/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alone_calls.h - entry points of a process in which no block is recorded
 *
 * They end in a jump to one of these, so that registers and return address are the
 * program's own still. In an idle process that is the real allocator. Where
 * somebody counts, and that is all (PROCESS_COUNTS_ALONE), it is one subtraction
 * more for a block, and a look at one byte for a free; then the real allocator is
 * jumped to. Only bytes are taken back if there was no memory for them
 * (core/countdown.h), and only there somebody looks at what it has returned.
 *
 * Each function is right in all processes at any time: a call that was under way
 * when the way has changed ends as it began. While there is one thread, its countdown
 * alone is looked at: what changes the generation is this thread, whose countdown has
 * come to its end then (countdown.h, C1). A second one counts nothing until it has
 * come by counted_begin_slow(), which takes the other functions for all.
 */
#ifndef TALLY_RECORDER_ALONE_CALLS_H
#define TALLY_RECORDER_ALONE_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/plain_load.h"
#include "ledger/embedding.h"
#include "ledger/export.h"

struct alone_calls {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *block, size_t size);
    void (*free)(void *block);
};

extern HIDDEN struct alone_calls alone;

#define ALONE_CALL(name) PLAIN_LOAD(&alone.name)

/* As embedding_take_way() has it. */
void alone_calls_take(enum process_way way, enum countdown_unit unit);

/* Whether they look at the countdown alone. */
extern HIDDEN bool alone_calls_are_of_one;

/* They do not any more: there is a second thread. */
void alone_calls_follow_threads(void);

/* The real functions are found. */
void alone_calls_shorten(void);

#endif /* TALLY_RECORDER_ALONE_CALLS_H */
