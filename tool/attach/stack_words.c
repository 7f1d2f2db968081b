/* SPDX-License-Identifier: Apache-2.0 */
/* stack_words.c - see stack_words.h */
#include "tool/attach/stack_words.h"

#include <stdlib.h>

#include "tool/session/find/process_state.h"
#include "tool/tables/array.h"

enum {
    PAGE = 4096,
    MOST_STACK = 8 << 20, /* of a thread; what lies behind is not looked at */
    GROWTH = 1 << 20,     /* of the first thread's, since it was looked at */
};

struct stack_range {
    uint64_t start, end;
};

static void add(void *context, const struct smaps_entry *entry)
{
    struct stack_words *words = context;

    if (entry->access[1] == 'w')
        ARRAY_ADD(words->ranges, words->count,
                  (struct stack_range){ entry->start, entry->end });
}

void stack_words_begin(struct stack_words *words, const struct tracee *tracee)
{
    *words = (struct stack_words){ .tracee = tracee };
    process_maps_see(tracee->pid, add, words);
}

void stack_words_end(struct stack_words *words)
{
    free(words->ranges);
}

/* The end of what `stack` lies in; the first thread's may have grown. 0: it is
   younger than the ranges. */
static uint64_t find_end(const struct stack_words *words, uint64_t stack)
{
    for (size_t i = 0; i < words->count; i++) {
        if (stack < words->ranges[i].end)
            return stack + GROWTH >= words->ranges[i].start
                       ? words->ranges[i].end
                       : 0;
    }
    return 0;
}

bool stack_words_may_have(const struct stack_words *words,
                          const struct tracee_thread *thread,
                          bool (*is)(uint64_t word, const void *context),
                          const void *context)
{
    uint64_t page[PAGE / sizeof(uint64_t)];
    struct user_regs_struct registers;
    uint64_t at, end;

    if (thread->has_ended || !thread->is_stopped)
        return false;
    if (!tracee_get_registers(thread->tid, &registers) ||
        is(registers.rip, context))
        return true;
    at = registers.rsp / sizeof page[0] * sizeof page[0];
    end = find_end(words, at);
    if (end == 0)
        return true;
    if (end > at + MOST_STACK)
        end = at + MOST_STACK;
    while (at < end) {
        size_t size = PAGE - at % PAGE;

        if (!tracee_read(words->tracee, at, page, size))
            return true;
        for (size_t i = 0; i < size / sizeof page[0]; i++) {
            if (is(page[i], context))
                return true;
        }
        at += size;
    }
    return false;
}
