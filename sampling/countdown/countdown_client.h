/* SPDX-License-Identifier: Apache-2.0 */
/* countdown_client.h - clients of the countdown; see countdown.h */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counted_thread;

/* Units that are counted, as stored in generations. */
enum countdown_unit {
    COUNTDOWN_BYTES = 0,
    COUNTDOWN_WORDS = 1, /* words */
    COUNTDOWN_BOTH = 3,  /* ... and bytes */
    COUNTDOWN_UNITS = 3,
    COUNTDOWN_ALLOCATED = 2, /* requested by a client: it needs
                                countdown_allocated() */
};

/* Zero in each new process, and in a forked child. */
struct countdown_words {
    uint32_t generation; /* 0: off; low bits: enum countdown_unit */

    uint32_t is_open;
    uint32_t clients; /* one bit for each client that is set */
    uint32_t lock;
};

enum countdown_client_number {
    COUNTDOWN_LIMITS, /* called first: a refused block is not a sample */
    COUNTDOWN_MEMPROF,
    COUNTDOWN_SAMPLES, /* of tally record --stacks=sampled */
    COUNTDOWN_CLIENTS,
};

/* Bytes of state that a client keeps from announce() to count(). */
enum { COUNTDOWN_KEPT = 32 };

/* The clients' state of a block that is not allocated yet, initially zero. */
struct counted_announcement {
    uint64_t charge; /* bytes charged */
    uint32_t told;   /* one bit for each client to be told of the result */
    _Alignas(16) unsigned char kept[COUNTDOWN_CLIENTS][COUNTDOWN_KEPT];
};

/* An allocation under examination. */
struct counted_block {
    void *block;
    size_t size;        /* requested bytes */
    const void *origin; /* the platform's key to the call stack; or NULL */
    uintptr_t caller;   /* return address where the program's part of the stack
                           begins; 0: at the top */
    bool is_suballocated; /* by a slab or heap, from memory that was counted
                             before */
    struct counted_announcement *announcement; /* NULL: it was not announced */
};

struct countdown_client {
    uint32_t counts; /* COUNTDOWN_WORDS; COUNTDOWN_ALLOCATED */

    /* The thread has noticed a new generation. Its first one if the client's
       memory is all zeros. */
    void (*follow)(struct counted_thread *thread);

    /* Return the amount until the client's next event; 0: at the next block. It
       may set thread->polled. */
    uint64_t (*distance)(struct counted_thread *thread);

    /* Return true if a block may be allocated, in place of one of `before`
       bytes. NULL: it may. */
    bool (*allows)(struct counted_thread *thread, size_t size, size_t before);

    /* A block was allocated and is counted in `allocated` and in
       countdown_position(). Return false to free it and fail the allocation. */
    bool (*count)(struct counted_thread *thread,
                  const struct counted_block *counted);

    /*
     * Like count(), but before the allocation; this result decides, not
     * count()'s. count() then receives the announcement; without a block, the
     * allocation failed. NULL: only count() is called, for blocks.
     */
    bool (*announce)(struct counted_thread *thread,
                     const struct counted_block *counted);

    /* A request that allows() permitted has failed; or NULL. */
    void (*fail)(struct counted_thread *thread, size_t size);

    /* The thread has forked and this is its child, which counts anew; its
       allocations so far persist. Called before follow(); or NULL. */
    void (*inherit)(struct counted_thread *thread,
                    const struct counted_thread *parent);

    /* The thread ends; or NULL. */
    void (*leave)(struct counted_thread *thread);

    /*
     * Return the client's record of a block, removed from block_table.h; NULL:
     * none. It is taken before the block is freed. Then retire() ends it; or
     * put_back() restores it, if a realloc has failed. `thread` is NULL if the
     * calling thread has not counted yet, or is ending; is_replaced: a realloc
     * ended it. All three or none are NULL.
     */
    void *(*take)(void *block);
    void (*retire)(struct counted_thread *thread, void *taken,
                   bool is_replaced);
    void (*put_back)(void *taken);
};
