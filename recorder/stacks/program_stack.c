/* SPDX-License-Identifier: Apache-2.0 */
/* program_stack.c - see program_stack.h */
#include "recorder/stacks/program_stack.h"

#include <stddef.h>

#include "recorder/stacks/call_stacks.h"
#include "sampling/countdown/countdown.h"
#include "unwind/eh_frame.h"
#include "unwind/unwind.h"

enum {
    SEARCHED = 128, /* words that our frames may take, up to the program's */
    PAGE = 4096,
    FRAMES = 64, /* between a call that begins a scope and where it lies */
};

/* A match too near means a smaller stack pointer, which is on the safe side. */
uintptr_t program_stack_of(const struct unwind_origin *origin, uintptr_t caller)
{
    struct stack_memory memory = { .thread = 0 };
    uintptr_t stack = (uintptr_t)origin, word;

    if (origin == NULL)
        return 0;
    stack += offsetof(struct unwind_origin, return_address);
    word = stack;
    for (unsigned i = 0; i < SEARCHED; i++, word += sizeof word) {
        if (word % PAGE == 0 && !stack_memory_has(&memory, word))
            break; /* a coroutine's stack may end here */
        if (stack_memory_word(word) == caller)
            return word + sizeof word;
    }
    return stack;
}

bool program_stack_is_own(uintptr_t low, uintptr_t high)
{
    struct counted_thread *thread = countdown_thread_if_any();
    struct stack_memory memory = { .thread = 0 };

    if (thread != NULL) {
        memory.thread = thread->own_stack.thread;
        memory.low = thread->own_stack.low;
        memory.high = thread->own_stack.high;
    }
    stack_memory_begin(&memory, low);
    if (thread != NULL) {
        thread->own_stack.thread = memory.thread;
        thread->own_stack.low = memory.low;
        thread->own_stack.high = memory.high;
    }
    return stack_memory_is_own(&memory, low) &&
           stack_memory_is_own(&memory, high);
}

/* Stack pointer and frame pointer are enough for almost all code. */
uintptr_t program_stack_call_in(uintptr_t place, uintptr_t frame)
{
    const uintptr_t *words = (const uintptr_t *)frame;
    uintptr_t call = words[1], sp = frame + 2 * sizeof *words, rbp = words[0];

    if (!program_stack_is_own(frame, place))
        return call;
    for (unsigned i = 0; i < FRAMES; i++) {
        struct unwind_rule rule = call_stacks_rule(call);
        uintptr_t cfa = (rule.cfa_register == CFI_RSP ? sp : rbp) +
                        (uintptr_t)(intptr_t)rule.cfa_offset;

        if (rule.kind == UNWIND_RULE_DEREF && program_stack_is_own(sp, cfa))
            cfa = stack_memory_word(cfa) +
                  (uintptr_t)(intptr_t)rule.second_offset;
        if (rule.kind == UNWIND_RULE_NONE || rule.kind > UNWIND_RULE_DEREF ||
            cfa <= sp)
            break;
        if (place < cfa)
            return call;
        if ((rule.saved & 2) != 0) /* unwind_saved_registers[1] */
            rbp = stack_memory_word(cfa + (uintptr_t)rule.saved_at[1] * 8);
        call = stack_memory_word(cfa - sizeof *words);
        sp = cfa;
    }
    return words[1];
}

static bool find(uintptr_t call, struct cfi_entry *entry)
{
    struct eh_frame_file file;

    /* The byte before belongs to the call. */
    return unwind_rules_file(call - 1, &file) &&
           eh_frame_find(&file, call - 1, entry);
}

bool program_stack_same_function(uintptr_t a, uintptr_t b)
{
    struct cfi_entry entry;

    return !find(a, &entry) || (b - 1 >= entry.start && b - 1 < entry.end);
}
