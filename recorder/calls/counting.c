/* SPDX-License-Identifier: Apache-2.0 */
/* counting.c - threads that count; see counting.h */
#include "recorder/calls/counting.h"

#include "ledger/record/attach.h"
#include "ports/posix/environment.h"
#include "recorder/calls/mode.h"
#include "recorder/real_functions.h"
#include "recorder/stacks/call_stacks.h"
#include "recorder/stacks/program_stack.h"
#include "tally/port.h"

_Thread_local struct counted_thread *counting_thread = &countdown_nobody;

void **tally_port_thread_word(void)
{
    return (void **)&counting_thread;
}

static void follow_change(void)
{
    process_prepare(); /* the loader's own calls are known by their place */
    mode_choose();
}

/* The words lie where a forked child finds zeros. */
struct countdown_carrier countdown_carrier = {
    .words = &process.counting,
    .changed = follow_change,
    .call_stack = call_stacks_find,
    .sees_malloc = real_is_behind_us,
    .is_own_stack = program_stack_is_own,
    .same_function = program_stack_same_function,
    .call_in = program_stack_call_in,
    .setting = environment_find,
};

enum counting counting_pass_slow(size_t size)
{
    enum mode mode = mode_now();
    uint32_t generation;

    if (UNLIKELY((mode == MODE_WORDS_ALONE || mode == MODE_BYTES_ALONE) &&
                 !words_are_alone()))
        mode_choose();
    generation =
        __atomic_load_n(&process.counting.generation, __ATOMIC_ACQUIRE);
    if (generation == 0)
        return COUNTING_IS_OFF;
    return countdown_is_in(counting_thread, generation) &&
                   countdown_pass(counting_thread, size)
               ? COUNTING_PASSED
               : COUNTING_IS_DUE;
}

/* Rounding a huge size wraps to about 0; check the limits here. */
static void ask_late(size_t size)
{
    struct counted_thread *thread = countdown_thread();

    if (thread != NULL)
        countdown_allows(thread, size, 0);
}

NOINLINE void *counting_fail(size_t size)
{
    countdown_unbill(counting_thread, size);
    if (size > SIZE_MAX - 2 * COUNTDOWN_WORD)
        ask_late(size);
    return NULL;
}
