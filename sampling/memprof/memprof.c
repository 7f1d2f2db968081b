/* SPDX-License-Identifier: Apache-2.0 */
/* memprof.c - public functions; see memprof_calls.h */
#include "sampling/memprof/memprof_calls.h"

#include "sampling/memprof/memprof_state.h"

void memprof_local_advance(void)
{
    struct counted_thread *thread = countdown_thread();

    if (thread == NULL || limits_are_masked(thread)) {
        thread = countdown_thread_if_any();
        if (thread != NULL && countdown_is_on())
            memprof_room(thread)->must_advance = 1;
        return;
    }
    if (!countdown_enter(thread))
        return;
    memprof_advance_all(thread, memprof_domain_of(thread));
    memprof_catch_up(thread);
    countdown_leave(thread);
    memprof_stop_if_idle();
}

#define ENTRY(type, name, ...) .name = memprof_local_##name,

const struct memprof_calls memprof_local_calls = { MEMPROF_CALL_LIST(ENTRY) };

const struct memprof_calls *memprof_calls = &memprof_local_calls;

__attribute__((visibility("default")))
const struct memprof_tracker memprof_null_tracker;

#define PUBLIC(type, name, public, parameters, arguments) \
    type public parameters                                \
    {                                                     \
        return memprof_calls->name arguments;             \
    }

MEMPROF_CALL_LIST(PUBLIC)
