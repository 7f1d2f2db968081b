/* SPDX-License-Identifier: Apache-2.0 */
/* countdown_client.h - what is counted, and for which clients; see
   countdown.h */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counted_thread;

/* What is counted, as generations tell. */
enum countdown_unit {
    COUNTDOWN_BYTES = 0,
    COUNTDOWN_WORDS = 1, /* words */
    COUNTDOWN_BOTH = 3,  /* and bytes besides */
    COUNTDOWN_UNITS = 3,
    COUNTDOWN_ALLOCATED = 2, /* a client's: asks for countdown_allocated() */
};

/* Zeros in each new process, and in the child of a fork. */
struct countdown_words {
    uint32_t generation; /* 0: off; low bits: enum countdown_unit */

    uint32_t is_open;
    uint32_t clients; /* a bit for each that is asked */
    uint32_t lock;
};

enum countdown_client_number {
    COUNTDOWN_LIMITS, /* asked first: what is refused is no sample */
    COUNTDOWN_MEMPROF,
    COUNTDOWN_SAMPLES, /* of tally record --stacks=sampled */
    COUNTDOWN_CLIENTS,
};

/* Bytes that a client keeps from announce() to count(). */
enum { COUNTDOWN_KEPT = 32 };

/* What clients have found out of a block that is still to come. At first
   zeros. */
struct counted_announcement {
    uint64_t charge; /* bytes that it was charged with */
    uint32_t told;   /* a bit for each client that is to hear of its end */
    _Alignas(16) unsigned char kept[COUNTDOWN_CLIENTS][COUNTDOWN_KEPT];
};

/* An allocation that is looked at. */
struct counted_block {
    void *block;
    size_t size;        /* bytes requested */
    const void *origin; /* what the platform finds its call stack by; or NULL */
    uintptr_t caller;   /* where the program's part of it begins; 0: with it */
    bool is_suballocated; /* a slab's or heap's, of memory counted before */
    struct counted_announcement *announcement; /* NULL: it was not announced */
};

struct countdown_client {
    uint32_t counts; /* COUNTDOWN_WORDS; COUNTDOWN_ALLOCATED */

    /*
     * The thread has noticed a change of the generation: its first one, if the
     * client's room is all zeros.
     */
    void (*follow)(struct counted_thread *thread);

    /*
     * The amount after which the client is to be asked; 0: before the next
     * block. It may leave a word in thread->polled.
     */
    uint64_t (*distance)(struct counted_thread *thread);

    /*
     * Whether a block may be allocated at all, in place of one that takes
     * `before` bytes; or NULL: it may.
     */
    bool (*allows)(struct counted_thread *thread, size_t size, size_t before);

    /*
     * A block was allocated and is counted already, in `allocated` and in
     * countdown_position(). False: it is to be given back, the allocation
     * fails.
     */
    bool (*count)(struct counted_thread *thread,
                  const struct counted_block *counted);

    /*
     * The same before the allocator is asked; this answer decides, not
     * count()'s. count() then gets the announcement; without a block, the
     * allocator failed. NULL: only count() is called, for blocks.
     */
    bool (*announce)(struct counted_thread *thread,
                     const struct counted_block *counted);

    /* A request that allows() let through has failed; or NULL. */
    void (*fail)(struct counted_thread *thread, size_t size);

    /*
     * This is the thread that has forked, in its child, which counts anew; what
     * it has allocated goes on. Before follow(); or NULL.
     */
    void (*inherit)(struct counted_thread *thread,
                    const struct counted_thread *parent);

    /* The thread ends; or NULL. */
    void (*leave)(struct counted_thread *thread);

    /*
     * What the client keeps in mind of a block, block_table.h included; NULL:
     * nothing. It is taken out before the allocator gets the block back, and
     * then comes to its end with retire(); or put_back(), when a realloc has
     * failed. `thread` is NULL when the calling thread has not counted yet, or
     * ends. All of them or none are NULL.
     */
    void *(*take)(void *block);
    void (*retire)(struct counted_thread *thread, void *taken);
    void (*put_back)(void *taken);
};
