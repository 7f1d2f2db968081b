/* SPDX-License-Identifier: Apache-2.0 */
/* process_way.c - which way entry points go; see enum process_way */
#include "ledger/embedding.h"
#include "ledger/process.h"

static uint32_t steps_aside;

static void tell_counting(uint32_t alone, uint32_t alone_but_live)
{
    struct countdown_words *words = &process.counting;
    uint32_t unit = alone & COUNTDOWN_UNITS;

    __atomic_store_n(&words->alone_but_live, alone_but_live, __ATOMIC_RELEASE);
    __atomic_store_n(&words->alone, alone, __ATOMIC_RELEASE);
    __atomic_store_n(&words->alone_by_words,
                     unit == COUNTDOWN_WORDS ? alone : 0, __ATOMIC_RELEASE);
    __atomic_store_n(&words->alone_by_bytes,
                     unit == COUNTDOWN_BYTES ? alone : 0, __ATOMIC_RELEASE);
}

static void take_way(enum process_aside why)
{
    enum process_way way = PROCESS_STEPS_ASIDE;
    bool aside = why != PROCESS_NOT_ASIDE;
    uint32_t counting =
        __atomic_load_n(&process.counting.generation, __ATOMIC_ACQUIRE);
    bool is_nothing_else = process.is_idle != 0 || process.is_sampled != 0;
    bool is_alone =
        why == PROCESS_ASIDE_TO_COUNT && counting != 0 && is_nothing_else;
    bool is_live = why == PROCESS_ASIDE_TO_COUNT_LIVE && is_nothing_else;

    if (!aside && process.is_idle != 0)
        way = PROCESS_IS_IDLE;
    else if (!aside && process.base != NULL)
        way = PROCESS_RECORDS;
    else if (is_alone && (counting & COUNTDOWN_UNITS) != COUNTDOWN_BOTH)
        way = PROCESS_COUNTS_ALONE;
    for (uint32_t shard = 1; shard < SHARD_FIRST_CPU; shard++) {
        struct short_way *short_way = &process.short_ways[shard];
        char *base = aside ? NULL : short_way->kept_base;

        __atomic_store_n(&short_way->base, base, __ATOMIC_RELEASE);
        __atomic_store_n(&short_way->caller_base,
                         process_has_stacks() ? NULL : base, __ATOMIC_RELEASE);
    }
    tell_counting(is_alone ? counting : 0, is_live ? counting : 0);
    embedding_take_way(way, counting & COUNTDOWN_UNITS);
    __atomic_store_n(&process.way, way, __ATOMIC_RELEASE);
}

/* Whoever was overtaken finds out at the end of what it wrote, and repeats it. */
void process_choose_way(void)
{
    uint32_t aside;

    do {
        aside = __atomic_load_n(&steps_aside, __ATOMIC_SEQ_CST);
        take_way(aside);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    } while (aside != __atomic_load_n(&steps_aside, __ATOMIC_SEQ_CST));
}

void process_step_aside(enum process_aside aside)
{
    __atomic_store_n(&steps_aside, aside, __ATOMIC_SEQ_CST);
    process_choose_way();
}

void process_drop_stacks(void)
{
    for (uint32_t shard = 1; shard < SHARD_FIRST_CPU; shard++)
        __atomic_store_n(&process.short_ways[shard].stacks, NULL,
                         __ATOMIC_SEQ_CST);
}
