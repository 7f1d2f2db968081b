/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_words.h - whether some address is among the words of a stopped thread's
 * stack
 *
 * Fast: hundreds of threads in a few milliseconds. What was left over from
 * earlier calls is found as well.
 */
#pragma once

#include <stddef.h>

#include "tool/attach/tracee.h"

struct stack_words {
    const struct tracee *tracee;
    struct stack_range *ranges; /* private */
    size_t count;
};

/* Where stacks lie, by /proc/PID/maps: before the program is stopped. */
void stack_words_begin(struct stack_words *words, const struct tracee *tracee);
void stack_words_end(struct stack_words *words);

/*
 * Whether `is` is true of where the thread stands, or of a word of its stack,
 * above where it is in use; true, too, where that cannot be read. A thread that
 * has ended, or is not stopped, has none.
 */
bool stack_words_may_have(const struct stack_words *words,
                          const struct tracee_thread *thread,
                          bool (*is)(uint64_t word, const void *context),
                          const void *context);
