/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mode_entries.c - entry points of modes that do little, and the tables by
 * mode; see mode.h
 *
 * Each ends in a jump, so that registers and return address are still the
 * program's. With a countdown alone, an allocation takes one subtraction, and a
 * free a test of one byte. If there was no memory, only bytes are taken back
 * (countdown.h).
 *
 * While there is one thread, only its countdown is checked: the generation is
 * changed by this thread, whose countdown is at its end then (countdown.h, C1).
 * A second thread counts nothing until it has been through
 * counting_pass_slow(), which chooses the mode again.
 */
#include "ledger/shards/shadow.h"
#include "recorder/calls/counting.h"
#include "recorder/calls/observe.h"
#include "recorder/calls/real_allocator.h"
#include "recorder/calls/recording.h"
#include "sampling/countdown/block_table.h"

#define IDLE(type, name, parameters, arguments) \
    static type idle_##name parameters          \
    {                                           \
        return real.name arguments;             \
    }
IDLE(void *, malloc, (size_t size), (size))
IDLE(void *, calloc, (size_t count, size_t size), (count, size))
IDLE(void *, realloc, (void *block, size_t size), (block, size))
IDLE(void, free, (void *block), (block))

/* MODE_OFF and MODE_EMPTY: an allocation checks if recording is on again. */
#define OFF(prefix, name, parameters, arguments) \
    static void *prefix##_##name parameters      \
    {                                            \
        if (LIKELY(!ledger_is_on()))             \
            return real.name arguments;          \
        mode_choose();                           \
        return MODE_CALL(name) arguments;        \
    }
OFF(off, malloc, (size_t size), (size))
OFF(off, calloc, (size_t count, size_t size), (count, size))
OFF(empty, realloc, (void *block, size_t size), (block, size))

static NOINLINE void off_free_recorded(void *block)
{
    bool is_recorded = block != NULL && shadow_get(block).id != 0;

    release_recorded(block);
    if (is_recorded)
        mode_block_freed();
}

static inline bool is_surely_unrecorded(const void *block)
{
    uint32_t *words;

    return LIKELY(shadow_is_plain() && shadow_words(block, &words) &&
                  words[0] == 0);
}

static void off_free(void *block)
{
    if (is_surely_unrecorded(block))
        real.free(block);
    else
        off_free_recorded(block);
}

static void *off_realloc(void *block, size_t size)
{
    return block == NULL || is_surely_unrecorded(block)
               ? empty_realloc(block, size)
               : observe_realloc(block, size);
}

/* MODE_WORDS, MODE_BYTES, and both in a process with one thread. */

enum threads { MANY_THREADS, ONE_THREAD };

static inline __attribute__((always_inline)) bool
pass(enum countdown_unit unit, size_t size, enum threads threads)
{
    struct counted_thread *thread = counting_thread;
    uint32_t generation = PLAIN_LOAD(&process.counting.generation);

    if (threads == MANY_THREADS && UNLIKELY(thread->generation != generation) &&
        (unit != COUNTDOWN_BOTH || !countdown_is_in(thread, generation)))
        return false; /* only limits poll, which count both */
    if (unit == COUNTDOWN_WORDS)
        return LIKELY(countdown_pass_by_words(thread, size));
    return LIKELY(unit == COUNTDOWN_BYTES
                      ? countdown_pass_by_bytes(thread, size)
                      : countdown_pass(thread, size));
}

/* Return false for the loader's vectors, which are not counted whole:
   observe.c. */
static inline bool is_whole(size_t size)
{
    return LIKELY(size != 2 * sizeof(void *));
}

static NOINLINE void *fail(size_t size)
{
    if (size != 0)
        ledger_count_failure();
    return counting_fail(size);
}

/* Take back bytes of a failed block; words of it stay counted. */
static inline __attribute__((always_inline)) void *
check(enum countdown_unit unit, void *block, size_t size)
{
    return unit == COUNTDOWN_WORDS || LIKELY(block != NULL) ? block
                                                            : fail(size);
}

#define COUNTING_CALLS(name, unit, threads)                             \
    static void *name##_malloc(size_t size)                             \
    {                                                                   \
        if (!pass(unit, size, threads))                                 \
            return observe_malloc(size);                                \
        return check(unit, real.malloc(size), size);                    \
    }                                                                   \
    static void *name##_calloc(size_t count, size_t size)               \
    {                                                                   \
        size_t bytes = recording_product(count, size);                  \
                                                                        \
        if (!is_whole(size) || !pass(unit, bytes, threads))             \
            return observe_calloc(count, size);                         \
        return check(unit, real.calloc(count, size), bytes);            \
    }                                                                   \
    static void *name##_realloc(void *block, size_t size)               \
    {                                                                   \
        if (block_filter_may_have(block) || !pass(unit, size, threads)) \
            return observe_realloc(block, size);                        \
        return check(unit, real.realloc(block, size), size);            \
    }

/* Not looking at the result lets this end in a jump: samples.c says why the
   bytes of a failed request may stay counted. */
#define SAMPLED_MALLOC(name, threads)              \
    static void *name##_malloc(size_t size)        \
    {                                              \
        if (!pass(COUNTDOWN_BYTES, size, threads)) \
            return observe_malloc(size);           \
        return real.malloc(size);                  \
    }
SAMPLED_MALLOC(sampled, MANY_THREADS)
SAMPLED_MALLOC(sampled_one_thread, ONE_THREAD)

COUNTING_CALLS(words, COUNTDOWN_WORDS, MANY_THREADS)
COUNTING_CALLS(words_one_thread, COUNTDOWN_WORDS, ONE_THREAD)
COUNTING_CALLS(bytes, COUNTDOWN_BYTES, MANY_THREADS)
COUNTING_CALLS(bytes_one_thread, COUNTDOWN_BYTES, ONE_THREAD)
COUNTING_CALLS(both, COUNTDOWN_BOTH, MANY_THREADS)

static void *live_malloc(size_t size)
{
    void *block;

    if (counting_pass(size) == COUNTING_IS_DUE)
        return observe_malloc(size);
    block = real.malloc(size);
    if (UNLIKELY(block == NULL))
        return fail(size);
    live_bytes_add(live_bytes_of(block));
    return block;
}

static void live_free(void *block)
{
    if (block_filter_may_have(block)) {
        observe_free(block);
        return;
    }
    live_bytes_add(-live_bytes_of(block));
    real.free(block);
}

static void counting_free(void *block)
{
    if (!block_filter_may_have(block))
        real.free(block);
    else
        observe_free(block);
}

/* MODE_PATCHED: an allocator other than libc's may pass a call on, to us
   again. */
#define PATCHED(type, name, parameters, arguments) \
    static type patched_##name parameters          \
    {                                              \
        return UNLIKELY(real_allocator_depth != 0) \
                   ? next_allocator.name arguments \
                   : recording_##name arguments;   \
    }
PATCHED(void *, malloc, (size_t size), (size))
PATCHED(void *, calloc, (size_t count, size_t size), (count, size))
PATCHED(void *, realloc, (void *block, size_t size), (block, size))

static void patched_free(void *block)
{
    if (UNLIKELY(real_allocator_depth != 0))
        next_allocator.free(block);
    else
        recording_free(block);
}

#define TABLE(X)                                                              \
    X(STARTING, observe, observe, observe, observe)                           \
    X(RECORDING, recording, recording, recording, recording)                  \
    X(FAR, recording, recording, recording, recording)                        \
    X(PATCHED, patched, patched, patched, patched)                            \
    X(IDLE, idle, idle, idle, idle)                                           \
    X(OFF, off, off, off, off)                                                \
    X(EMPTY, off, off, empty, idle)                                           \
    X(WORDS, words, words, words, counting)                                   \
    X(WORDS_ONE_THREAD, words_one_thread, words_one_thread, words_one_thread, \
      counting)                                                               \
    X(BYTES, bytes, bytes, bytes, counting)                                   \
    X(BYTES_ONE_THREAD, bytes_one_thread, bytes_one_thread, bytes_one_thread, \
      counting)                                                               \
    X(SAMPLED, sampled, bytes, bytes, counting)                               \
    X(SAMPLED_ONE_THREAD, sampled_one_thread, bytes_one_thread,               \
      bytes_one_thread, counting)                                             \
    X(BOTH, both, both, both, counting)                                       \
    X(LIVE, live, observe, observe, live)                                     \
    X(OBSERVED, observe, observe, observe, observe)

#define MALLOC(mode, malloc, calloc, realloc, free) \
    [MODE_##mode] = malloc##_malloc,
#define CALLOC(mode, malloc, calloc, realloc, free) \
    [MODE_##mode] = calloc##_calloc,
#define REALLOC(mode, malloc, calloc, realloc, free) \
    [MODE_##mode] = realloc##_realloc,
#define FREE(mode, malloc, calloc, realloc, free) [MODE_##mode] = free##_free,

void *(*const mode_malloc[MODES])(size_t size) = { TABLE(MALLOC) };
void *(*const mode_calloc[MODES])(size_t count,
                                  size_t size) = { TABLE(CALLOC) };
void *(*const mode_realloc[MODES])(void *block,
                                   size_t size) = { TABLE(REALLOC) };
void (*const mode_free[MODES])(void *block) = { TABLE(FREE) };

bool mode_frees_pass(enum mode mode)
{
    return mode_free[mode] == idle_free || mode_free[mode] == counting_free;
}
