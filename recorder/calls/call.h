/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - one call of the malloc family, in all forms: what it asks for, what the
 * allocator makes of it, its account, its event
 *
 * Where the form is known to the compiler, no more than that form is left of these.
 */
#ifndef TALLY_RECORDER_CALLS_CALL_H
#define TALLY_RECORDER_CALLS_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/text/mem_trace_event.h"
#include "ledger/record/attach.h"
#include "ledger/record/record.h"
#include "recorder/calls/observe.h"
#include "recorder/real_functions.h"
#include "recorder/stacks/stacks.h"

#define INLINE static inline __attribute__((always_inline))

/* One call, in as many words as registers can pass. */
struct call {
    enum {
        FORM_BY_SIZE,
        FORM_ALIGNED,
        FORM_NEW,
        FORM_CALLOC,
        FORM_REALLOC,
        FORM_POSIX_MEMALIGN,
    } form;
    uint32_t site; /* to charge the block to; 0: to its caller */
    union {
        observe_by_size_fn *by_size;      /* FORM_BY_SIZE */
        observe_aligned_fn *by_alignment; /* FORM_ALIGNED, FORM_NEW */
        size_t count;                     /* FORM_CALLOC */
        void **where;                     /* FORM_POSIX_MEMALIGN */
    } of;
    union {
        size_t alignment; /* FORM_ALIGNED, FORM_NEW, FORM_POSIX_MEMALIGN */
        void *old;        /* FORM_REALLOC */
    } with;
    size_t size; /* bytes, of FORM_CALLOC those of one element */
    uintptr_t caller;
};

enum { CALL_WORDS = 5 };

_Static_assert(sizeof(struct call) == CALL_WORDS * sizeof(uintptr_t), "");

/* What the program asked for. On overflow there is no block, and it does not matter. */
INLINE size_t bytes_of(const struct call *call)
{
    return call->form == FORM_CALLOC
               ? observe_count(call->of.count, call->size, call->caller) *
                     call->size
               : call->size;
}

INLINE bool resizes(const struct call *call)
{
    return call->form == FORM_REALLOC;
}

/* A realloc to nothing is free, which always works. */
static bool frees(const struct call *call)
{
    return resizes(call) && call->with.old != NULL && call->size == 0;
}

/* What came of a call. */
struct made {
    void *block;
    int error; /* what posix_memalign returns; otherwise 0 */
};

/* The call without us. */
INLINE struct made perform(const struct call *call)
{
    int error;

    switch (call->form) {
    case FORM_BY_SIZE:
        return (struct made){ call->of.by_size(call->size), 0 };
    case FORM_ALIGNED:
    case FORM_NEW:
        return (struct made){
            call->of.by_alignment(call->with.alignment, call->size), 0
        };
    case FORM_CALLOC:
        return (struct made){ real.calloc(call->of.count, call->size), 0 };
    case FORM_REALLOC:
        return (struct made){ real.realloc(call->with.old, call->size), 0 };
    case FORM_POSIX_MEMALIGN:
        error = real.posix_memalign(call->of.where, call->with.alignment,
                                    call->size);
        return (struct made){ error == 0 ? *call->of.where : NULL, error };
    }
    return (struct made){ NULL, 0 };
}

/* Whether each block is recorded; not where accounts are made of samples. */
static inline bool is_recorded(void)
{
    /* In MODE_EMPTY no free would take the block out again. */
    return mode_now() != MODE_EMPTY && (PLAIN_LOAD(&process.is_idle) |
                                        PLAIN_LOAD(&process.is_sampled)) == 0;
}

INLINE void charge(const struct call *call, void *block, size_t size)
{
    char *base = thread_shard();
    enum record_result result = RECORD_NOT;
    uint32_t word = 0;

    if (call->site != 0) {
        record_alloc_word(block, size, record_word_of(call->site));
        return;
    }
    if (LIKELY(base != NULL && !process_has_stacks())) {
        if (UNLIKELY(!record_is_on()))
            return;
        word = site_table_find(&heap_sites, call->caller);
        result = record_alloc_near(block, size, word, base, RECORD_OWN);
    }
    if (result == RECORD_NOT)
        stacks_alloc(block, size, call->caller);
    else if (UNLIKELY(result == RECORD_DUE))
        record_flush(block, (struct reference){ word, size });
}

INLINE void account(const struct call *call, struct reference old, void *made)
{
    if (UNLIKELY(!is_recorded())) {
        if (made == NULL && call->size != 0 && call->form != FORM_NEW)
            record_failure();
        return;
    }
    if (resizes(call) && !record_resized(call->with.old, old, made, call->size))
        return;
    if (call->form != FORM_NEW || made != NULL)
        charge(call, made, bytes_of(call));
}

INLINE struct mem_trace_event event_of(const struct call *call)
{
    struct mem_trace_event event = {
        .op = MEM_TRACE_MALLOC,
        .caller = call->caller,
        .size = call->size,
    };

    if (call->form == FORM_CALLOC) {
        event.op = MEM_TRACE_CALLOC;
        event.count = observe_count(call->of.count, call->size, call->caller);
    } else if (resizes(call)) {
        event.op = MEM_TRACE_REALLOC;
        event.pointer = (uintptr_t)call->with.old;
    }
    return event;
}

INLINE struct made perform_and_account(const struct call *call)
{
    struct reference old = { 0, 0 };
    struct made made;

    if (resizes(call) && is_recorded())
        old = record_take(call->with.old);
    made = perform(call);
    account(call, old, made.block);
    return made;
}

#endif /* TALLY_RECORDER_CALLS_CALL_H */
