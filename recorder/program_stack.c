/* SPDX-License-Identifier: Apache-2.0 */
/* program_stack.c - see program_stack.h */
#include "recorder/program_stack.h"

#include <stddef.h>

#include "unwind/eh_frame.h"
#include "unwind/unwind.h"

/* Words that frames of ours may take between the program and an origin. */
enum { SEARCHED = 128, PAGE = 4096 };

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
    struct stack_memory memory = { .thread = 0 };

    stack_memory_begin(&memory, low);
    return stack_memory_is_own(&memory, low) &&
           stack_memory_is_own(&memory, high);
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
