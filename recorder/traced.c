/* SPDX-License-Identifier: Apache-2.0 */
/* traced.c - entry points that somebody is told of; see traced.h */
#include "recorder/traced.h"

#include <string.h>

#include "core/countdown.h"
#include "core/limits_live.h"
#include "ports/posix/environment.h"
#include "recorder/call_stacks.h"
#include "recorder/program_stack.h"
#include "recorder/real_functions.h"
#include "recorder/release.h"
#include "tally/port.h"

static traced_listener_fn listener;

static bool is_anybody_told(void)
{
    return mem_trace_is_on() ||
           __atomic_load_n(&listener, __ATOMIC_SEQ_CST) != NULL;
}

static enum process_aside find_aside(uint32_t *counting)
{
    *counting = __atomic_load_n(&process.counting.generation, __ATOMIC_SEQ_CST);
    if (is_anybody_told())
        return PROCESS_ASIDE;
    if (limits_live_is_counted())
        return PROCESS_ASIDE_TO_COUNT_LIVE;
    return *counting != 0 ? PROCESS_ASIDE_TO_COUNT : PROCESS_NOT_ASIDE;
}

/* Whoever was overtaken by another change finds out, and decides again. */
static void choose_way(void)
{
    enum process_aside aside;
    uint32_t counting, now;

    process_prepare(); /* the loader's own calls are known by their place */
    do {
        aside = find_aside(&counting);
        process_step_aside(aside);
    } while (aside != find_aside(&now) || counting != now);
}

/* The words lie where a forked child finds zeros. */
struct countdown_carrier countdown_carrier = {
    .words = &process.counting,
    .changed = choose_way,
    .call_stack = call_stacks_find,
    .sees_malloc = real_is_behind_us,
    .is_own_stack = program_stack_is_own,
    .same_function = program_stack_same_function,
    .call_in = program_stack_call_in,
    .setting = environment_find,
};

/* The lock lies where a forked child finds zeros. */
struct mem_trace mem_trace_own = {
    .lock = &process.trace_lock,
    .thread = tally_port_thread,
    .changed = choose_way,
    .descriptor = 1,
};

void traced_listen(traced_listener_fn wanted)
{
    __atomic_store_n(&listener, wanted, __ATOMIC_SEQ_CST);
    choose_way();
}

static void *pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/*
 * `op` is known where this is inlined, and the event is made for who asks only. Of
 * a free only the listener is told here.
 */
static inline __attribute__((always_inline)) void
tell(bool is_told, enum mem_trace_op op, void *result, uintptr_t caller,
     void *block, size_t count, size_t size)
{
    traced_listener_fn told = __atomic_load_n(&listener, __ATOMIC_RELAXED);

    if (told != NULL) {
        const struct mem_trace_event event = {
            .op = (uint8_t)op,
            .result = (uintptr_t)result,
            .caller = caller,
            .pointer = (uintptr_t)block,
            .count = count,
            .size = size,
        };

        told(&event);
    }
    if (!is_told)
        return;
    if (op == MEM_TRACE_MALLOC)
        mbed_mem_trace_malloc(result, size, (void *)caller);
    else if (op == MEM_TRACE_REALLOC)
        mbed_mem_trace_realloc(result, block, size, (void *)caller);
    else
        mbed_mem_trace_calloc(result, count, size, (void *)caller);
    mem_trace_leave();
}

void traced_tell(bool is_told, const struct mem_trace_event *event)
{
    tell(is_told, event->op, pointer_of(event->result), event->caller,
         pointer_of(event->pointer), event->count, event->size);
}

void *traced_record(void *block, size_t size, uintptr_t caller)
{
    char *base = thread_kept_shard();
    enum record_result result = RECORD_NOT;
    uint32_t word = 0;

    if (LIKELY(base != NULL && !process_has_stacks())) {
        if (UNLIKELY(!record_is_on()))
            return block;
        word = site_table_find(&heap_sites, caller);
        result = record_alloc_near(block, size, word, base, RECORD_OWN);
    }
    if (result == RECORD_NOT)
        return stacks_alloc(block, size, caller);
    return LIKELY(result == RECORD_DONE)
               ? block
               : record_settle(block, (struct reference){ word, size });
}

void *traced_by_size(void *(*allocate)(size_t size), size_t size,
                     uintptr_t caller)
{
    bool is_told = traced_enter();
    void *block = traced_record(allocate(size), size, caller);

    tell(is_told, MEM_TRACE_MALLOC, block, caller, NULL, 0, size);
    return block;
}

void *traced_malloc(size_t size, uintptr_t caller)
{
    return traced_by_size(real.malloc, size, caller);
}

void *traced_aligned(void *(*allocate)(size_t alignment, size_t size),
                     size_t alignment, size_t size, uintptr_t caller)
{
    bool is_told = traced_enter();
    void *block = traced_record(allocate(alignment, size), size, caller);

    tell(is_told, MEM_TRACE_MALLOC, block, caller, NULL, 0, size);
    return block;
}

int traced_posix_memalign(void **block, size_t alignment, size_t size,
                          uintptr_t caller)
{
    bool is_told = traced_enter();
    int error = real.posix_memalign(block, alignment, size);
    void *made = traced_record(error == 0 ? *block : NULL, size, caller);

    tell(is_told, MEM_TRACE_MALLOC, made, caller, NULL, 0, size);
    return error;
}

void *traced_new(void *(*allocate)(size_t size, size_t alignment), size_t size,
                 size_t alignment, uintptr_t caller)
{
    bool is_told = traced_enter();
    void *block = allocate(size, alignment);

    if (block != NULL) {
        traced_record(block, size, caller);
        tell(is_told, MEM_TRACE_MALLOC, block, caller, NULL, 0, size);
    } else if (is_told) {
        mem_trace_leave();
    }
    return block;
}

void *traced_calloc(size_t count, size_t size, uintptr_t caller)
{
    size_t bytes = calloc_bytes(count, size, caller);
    bool is_told = traced_enter();
    void *block = traced_record(real.calloc(count, size), bytes, caller);
    size_t counted = bytes < count * size ? count - 1 : count;

    tell(is_told, MEM_TRACE_CALLOC, block, caller, NULL, counted, size);
    return block;
}

void *traced_realloc(void *block, size_t size, uintptr_t caller)
{
    bool is_told = traced_enter();
    void *moved = traced_resize(block, size, caller);

    tell(is_told, MEM_TRACE_REALLOC, moved, caller, block, 0, size);
    return moved;
}

void traced_refusal(void *block, uintptr_t caller)
{

    tell(traced_enter(), MEM_TRACE_REALLOC, NULL, caller, block, 0, SIZE_MAX);
}

void traced_refused(const struct mem_trace_event *event)
{
    bool is_told = traced_enter();

    record_failure();
    traced_tell(is_told, event);
}

void traced_free(void *block, uintptr_t caller)
{
    bool is_told = traced_enter();
    char *base = thread_kept_shard();
    struct reference freed;
    enum record_result result;

    tell(false, MEM_TRACE_FREE, NULL, caller, block, 0, 0);
    result = base != NULL ? record_free_near(block, base, RECORD_OWN, &freed)
                          : RECORD_NOT;
    if (result == RECORD_DUE)
        record_settle_free(freed);
    if (result != RECORD_NOT)
        real.free(block);
    else
        release_slow(block);
    if (is_told) {
        mbed_mem_trace_free(block, pointer_of(caller));
        mem_trace_leave();
    }
}
