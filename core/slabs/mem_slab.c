/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab.c - initialise slabs, allocate, free, wait; figures and faults
 *
 * This file is long because allocation, free and waiting are one state machine.
 * mem_slab_list.h has the layout.
 */
#include "tally/mem_slab.h"

#include <stddef.h>
#include <string.h>

#include "core/accounts/regions.h"
#include "core/base/console_line.h"
#include "core/observers/sample.h"
#include "core/observers/tell.h"
#include "core/slabs/mem_slab_list.h"
#include "core/tags/alloc_tag.h"
#include "tally/hook.h"

/* Error numbers of POSIX systems and of Zephyr. */
enum { TRY_AGAIN = -11, NO_MEMORY = -12, INVALID = -22 };

enum { REFERENCE_MASK = INT32_MAX };

static bool is_open(const struct k_mem_slab *slab)
{
    return slab != NULL && slab->self == slab;
}

uint32_t tally_mem_slab_used(const struct k_mem_slab *slab)
{
    return is_open(slab) ? slab_state_used(slab->state) : 0;
}

uint32_t tally_mem_slab_peak(const struct k_mem_slab *slab)
{
    return is_open(slab)
               ? __atomic_load_n(&slab->counts->peak, __ATOMIC_RELAXED)
               : 0;
}

int k_mem_slab_runtime_stats_get(struct k_mem_slab *slab,
                                 struct sys_memory_stats *stats)
{
    uint32_t used;

    if (slab == NULL || stats == NULL)
        return INVALID;
    used = tally_mem_slab_used(slab);
    stats->allocated_bytes = used * slab->block_size;
    stats->free_bytes = (slab->num_blocks - used) * slab->block_size;
    stats->max_allocated_bytes = tally_mem_slab_peak(slab) * slab->block_size;
    return 0;
}

int k_mem_slab_runtime_stats_reset_max(struct k_mem_slab *slab)
{
    if (slab == NULL)
        return INVALID;
    if (is_open(slab)) {
        __atomic_store_n(&slab->counts->peak, tally_mem_slab_used(slab),
                         __ATOMIC_RELAXED);
        slab_publish(slab);
    }
    return 0;
}

int tally_mem_slab_figures_get(const struct k_mem_slab *slab,
                               struct tally_slab_figures *figures)
{
    struct tally_slab_counts *counts;
    uint64_t kept;

    if (slab == NULL || figures == NULL)
        return INVALID;
    *figures = (struct tally_slab_figures){ 0 };
    if (!is_open(slab))
        return 0;
    counts = slab->counts;
    figures->used = tally_mem_slab_used(slab);
    figures->unused = slab->num_blocks - figures->used;
    figures->peak = tally_mem_slab_peak(slab);
    figures->refused = __atomic_load_n(&counts->refused, __ATOMIC_RELAXED);
    kept = tally_port_guard(&slab->state->guard);
    figures->timed_out = counts->timed_out;
    figures->waiting = counts->waiting;
    figures->longest_wait_ns = counts->longest_wait_ns;
    tally_port_unguard(&slab->state->guard, kept);
    for (unsigned i = 0; i < TALLY_SLAB_FAULTS; i++)
        figures->faults[i] =
            __atomic_load_n(&counts->faults[i], __ATOMIC_RELAXED);
    return 0;
}

const char *tally_mem_slab_name(const struct k_mem_slab *slab)
{
    return is_open(slab) ? __atomic_load_n(&slab->state->name, __ATOMIC_ACQUIRE)
                         : NULL;
}

static tally_slab_fault_fn fault_handler;

void tally_mem_slab_on_fault(tally_slab_fault_fn handler)
{
    __atomic_store_n(&fault_handler, handler, __ATOMIC_RELEASE);
}

static void handle(struct k_mem_slab *slab, const void *mem,
                   enum tally_slab_fault fault)
{
    static const char *const sentences[TALLY_SLAB_FAULTS] = {
        [TALLY_SLAB_FOREIGN] = "a pointer that is none of its blocks was freed",
        [TALLY_SLAB_NOT_OUT] = "a block that is not out was freed",
        [TALLY_SLAB_DAMAGED] = "an unused block was written over",
    };

    (void)mem;
    if (FAULT_IS_TOLD)
        console_tell_fault("memory slab", tally_mem_slab_name(slab),
                           sentences[fault]);
}

static void report_fault(struct k_mem_slab *slab, const void *mem,
                         enum tally_slab_fault fault)
{
    tally_slab_fault_fn handler =
        __atomic_load_n(&fault_handler, __ATOMIC_ACQUIRE);

    if (slab != NULL && slab->self == slab) {
        words_count(&slab->counts->faults[fault]);
        slab_publish(slab);
    }
    (handler == NULL ? handle : handler)(slab, mem, fault);
}

/*
 * A thread that finds the list empty marks it as waited for, under the guard,
 * and enters the queue before it releases the guard. A free that sees the mark
 * takes the guard and serves the queue; when the queue is empty, it removes the
 * mark. So no wake-up is lost, and no block bypasses a waiter.
 */

/* Take a block, or mark the empty list. Under the guard. */
static uint32_t take_or_mark(struct k_mem_slab *slab, uint32_t *owner)
{
    uint64_t list = slab_list_load(slab->counts);
    uint32_t block;

    for (;;) {
        block = slab_take(slab, owner);
        if (block != SLAB_NONE)
            return block;
        list = slab_list_load(slab->counts);
        if (slab_head(slab, list) >= slab->num_blocks &&
            slab_list_swap(slab->counts, &list, list | SLAB_WAITED_FOR))
            return SLAB_NONE;
    }
}

static uint32_t wait_for_block(struct k_mem_slab *slab, k_timeout_t timeout,
                               uint32_t *owner)
{
    struct tally_slab_state *state = slab->state;
    struct tally_waiter waiter = wait_queue_waiter(timeout);
    uint64_t kept = tally_port_guard(&state->guard);
    uint32_t block = take_or_mark(slab, owner);

    if (block == SLAB_NONE) {
        wait_queue_add(&state->waiters, &waiter, &slab->counts->waiting);
    }
    tally_port_unguard(&state->guard, kept);
    if (block != SLAB_NONE)
        return block;
    slab_publish(slab);
    if (!wait_queue_sleep(&waiter, TALLY_PORT_FOREVER)) {
        kept = tally_port_guard(&state->guard);
        if (waiter.word == WAITER_WAITS) {
            wait_queue_leave(&waiter, &slab->counts->longest_wait_ns);
            words_count(&slab->counts->timed_out);
        }
        tally_port_unguard(&state->guard, kept);
    }
    if (waiter.word == WAITER_WAITS) {
        slab_publish(slab);
        return SLAB_NONE;
    }
    *owner = waiter.owner;
    return waiter.block;
}

/* Give a block, already counted as taken, to the waiter. Under the guard. */
static const uint32_t *serve(struct k_mem_slab *slab,
                             struct tally_waiter *waiter, uint32_t block,
                             uint32_t owner)
{
    wait_queue_leave(waiter, &slab->counts->longest_wait_ns);
    waiter->block = block;
    waiter->owner = owner;
    return wait_queue_serve(waiter);
}

/* Count a take; without waiters, remove the mark. Under the guard. */
static void change_list(struct k_mem_slab *slab, uint64_t takes)
{
    uint64_t list = slab_list_load(slab->counts);
    uint64_t wanted;

    do {
        wanted = list + takes;
        if (slab->state->waiters == NULL)
            wanted &= ~(uint64_t)SLAB_WAITED_FOR;
    } while (!slab_list_swap(slab->counts, &list, wanted));
}

static void give_to_waiter(struct k_mem_slab *slab, uint32_t block)
{
    struct tally_slab_state *state = slab->state;
    uint64_t kept = tally_port_guard(&state->guard);
    const uint32_t *word = NULL;
    struct tally_waiter *waiter;

    do {
        waiter = wait_queue_best(state->waiters);
        if (waiter != NULL) {
            *(slab_link *)slab_block(slab, block) = SLAB_LINK_DISGUISE;
            word = serve(slab, waiter, block, SLAB_OWNER_RETURNED);
            change_list(slab, SLAB_ONE_TAKE);
        } else {
            change_list(slab, 0);
        }
    } while (waiter == NULL && !slab_put(slab, block));
    tally_port_unguard(&state->guard, kept);
    if (word != NULL)
        tally_port_wake(word);
}

static void serve_waiters(struct k_mem_slab *slab)
{
    struct tally_slab_state *state = slab->state;
    uint64_t kept = tally_port_guard(&state->guard);
    struct tally_waiter *waiter;
    uint32_t block, owner;

    while ((waiter = wait_queue_best(state->waiters)) != NULL &&
           (block = slab_take(slab, &owner)) != SLAB_NONE)
        tally_port_wake(serve(slab, waiter, block, owner));
    if (waiter != NULL)
        take_or_mark(slab, &owner);
    tally_port_unguard(&state->guard, kept);
}

/* Return true if a hook, ledger, trace or sampler watches allocated blocks. */
static inline bool is_watched(const struct tally_slab_counts *counts)
{
    return (CHARGE_IS_LINKED && tally_current_tag != NULL) ||
           slab_has_region(counts) || tell_is_on() || sample_is_on();
}

static __attribute__((noinline)) int
hand_out(struct k_mem_slab *slab, void **mem, uint32_t block, uint32_t owner)
{
    uint32_t reference;

    *mem = slab_block(slab, block);
    if (!slab_is_intact(*mem, owner))
        report_fault(slab, *mem, TALLY_SLAB_DAMAGED);
    reference = charge_in_force(slab->block_size) & REFERENCE_MASK;
    slab_owner_set(slab, block, SLAB_OWNER_OUT | reference);
    if (slab_has_region(slab->counts))
        slab_publish_blocks(slab->state);
    return 0;
}

static __attribute__((noinline)) int
alloc_slowly(struct k_mem_slab *slab, void **mem, k_timeout_t timeout)
{
    uint32_t owner, block;

    if (timeout.ns == 0 || !wait_queue_is_open()) {
        words_count(&slab->counts->refused);
        slab_publish(slab);
        *mem = NULL;
        return NO_MEMORY;
    }
    block = wait_for_block(slab, timeout, &owner);
    return block == SLAB_NONE ? TRY_AGAIN : hand_out(slab, mem, block, owner);
}

/* Finish an allocation that needs more than taking a block. */
static __attribute__((noinline)) int end_alloc(struct k_mem_slab *slab,
                                               void **mem, k_timeout_t timeout,
                                               uint32_t block, uint32_t owner,
                                               void *caller)
{
    uint32_t key;
    int result;

    if (WORDS_MAY_CHANGE && block == SLAB_NONE) {
        key = words_enter();
        block = slab_take(slab, &owner);
        words_leave(key);
    }
    result = block == SLAB_NONE ? alloc_slowly(slab, mem, timeout)
                                : hand_out(slab, mem, block, owner);
    if (tell_begins())
        tell_malloc(result == 0 ? *mem : NULL, slab->block_size, caller);
    if (result == 0 && !sample_made(*mem, slab->block_size, caller)) {
        k_mem_slab_free(slab, *mem);
        *mem = NULL;
        return NO_MEMORY;
    }
    return result;
}

/* Calls come last, so that the fast path saves no registers. */
int k_mem_slab_alloc(struct k_mem_slab *slab, void **mem, k_timeout_t timeout)
{
    const struct tally_slab_counts *counts;
    uint32_t key, block, owner = 0;
    enum slab_try try;
    uint64_t list;
    void *address;

    if (slab == NULL || mem == NULL || slab->self != slab)
        return INVALID;
    counts = slab->counts;
    key = words_enter();
    list = slab_list_load(counts);
    try = slab_try_take(slab, &list, &block, &owner, words_are_alone());
    words_leave(key);
    if (__builtin_expect(try != SLAB_IS_DONE, 0))
        return end_alloc(slab, mem, timeout, SLAB_NONE, 0, TELL_CALLER);
    address = slab_block(slab, block);
    if (__builtin_expect(is_watched(counts) || !slab_is_intact(address, owner),
                         0))
        return end_alloc(slab, mem, timeout, block, owner, TELL_CALLER);
    slab_owner_set(slab, block, SLAB_OWNER_OUT);
    *mem = address;
    return 0;
}

/* Return x with x * odd == 1, by Newton's method: each step doubles the number
   of correct bits, and `odd` itself has three. */
static size_t invert(size_t odd)
{
    size_t inverse = odd;

    for (unsigned bits = 3; bits < 8 * sizeof inverse; bits *= 2)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/*
 * Return the number of the block that begins at `mem`; num_blocks or more: none
 * does. The offset times the inverse of the block size's odd part, rotated by
 * the even part, is the quotient if the division is exact; otherwise it exceeds
 * any quotient.
 */
static inline size_t block_at(struct k_mem_slab *slab, const void *mem)
{
    size_t offset = (uintptr_t)mem - (uintptr_t)slab->buffer;
    size_t inverse = __atomic_load_n(&slab->inverse, __ATOMIC_RELAXED);
    unsigned shift = slab->shift;

    if (__builtin_expect(inverse == 0, 0)) {
        inverse = invert(slab->block_size >> shift);
        __atomic_store_n(&slab->inverse, inverse, __ATOMIC_RELAXED);
    }
    offset *= inverse;
    return offset >> shift |
           offset << ((0 - (size_t)shift) & (8 * sizeof offset - 1));
}

/* Inlined twice for speed; one copy when optimizing for size. */
#ifdef __OPTIMIZE_SIZE__
#define FREE_BLOCK static
#else
#define FREE_BLOCK static inline __attribute__((always_inline))
#endif

/* Finish a free that needs more than returning a block. */
static __attribute__((noinline)) void end_free(struct k_mem_slab *slab,
                                               uint32_t block, uint32_t owner,
                                               enum slab_try try)
{
    bool is_put = try == SLAB_IS_DONE;
    uint32_t key;

    if (WORDS_MAY_CHANGE && !is_put) {
        key = words_enter();
        is_put = slab_put(slab, block);
        words_leave(key);
    }
    if (WAIT_QUEUE_IS_USED && !is_put)
        give_to_waiter(slab, block);
    if (slab_has_region(slab->counts))
        slab_publish_blocks(slab->state);
    if (CHARGE_IS_LINKED)
        tally_hook_free(owner, slab->block_size);
}

FREE_BLOCK void free_block(struct k_mem_slab *slab, void *mem)
{
    struct tally_slab_counts *counts;
    uint32_t key, owner, block;
    enum slab_try try;
    uint64_t list;
    bool is_alone;
    size_t at;

    if (slab == NULL || slab->self != slab ||
        (at = block_at(slab, mem)) >= slab->num_blocks) {
        report_fault(slab, mem, TALLY_SLAB_FOREIGN);
        return;
    }
    block = (uint32_t)at;
    counts = slab->counts;
    key = words_enter();
    is_alone = words_are_alone();
    if (!words_clear_top(&slab->owners[block], &owner, is_alone)) {
        words_leave(key);
        report_fault(slab, mem, TALLY_SLAB_NOT_OUT);
        return;
    }
    if (slab->one_used == 0)
        words_count(&counts->frees);
    list = slab_list_load(counts);
    try = slab_try_put(slab, &list, block, is_alone);
    words_leave(key);
    if (__builtin_expect(
            try != SLAB_IS_DONE || owner != 0 || slab_has_region(counts), 0))
        end_free(slab, block, owner, try);
}

static __attribute__((noinline)) void free_and_tell(struct k_mem_slab *slab,
                                                    void *mem, void *caller)
{
    bool is_told;

    sample_freed(mem);
    is_told = tell_begins();
    free_block(slab, mem);
    if (is_told)
        tell_free(mem, caller);
}

void k_mem_slab_free(struct k_mem_slab *slab, void *mem)
{
    if (tell_is_on() || sample_is_on())
        free_and_tell(slab, mem, TELL_CALLER);
    else
        free_block(slab, mem);
}

enum { LINK = sizeof(slab_link) };

static bool is_valid(const struct k_mem_slab *slab, const void *buffer,
                     size_t block_size, uint32_t num_blocks)
{
    size_t total;

    return slab != NULL && buffer != NULL && block_size != 0 &&
           num_blocks != 0 && (uintptr_t)buffer % LINK == 0 &&
           block_size % LINK == 0 && num_blocks <= TALLY_SLAB_MOST_BLOCKS &&
           !__builtin_mul_overflow(block_size, (size_t)num_blocks, &total) &&
           total <= SIZE_MAX - (uintptr_t)buffer;
}

/* Mark every block as unused, in order: zeroed words, zeroed links. */
static void clear(struct tally_slab_state *state, unsigned char *buffer,
                  size_t block_size, uint32_t num_blocks)
{
    uint32_t waiting = state->counts.waiting;

    if (state->waiters == NULL)
        waiting = 0;
    memset(state->owners, 0, num_blocks * sizeof state->owners[0]);
    for (uint32_t block = 0; block < num_blocks; block++)
        *(slab_link *)(void *)(buffer + block * block_size) = 0;
    state->block_size = block_size;
    state->num_blocks = num_blocks;
    state->counts = (struct tally_slab_counts){
        .waiting = waiting,
        .region = state->counts.region,
    };
}

int k_mem_slab_init(struct k_mem_slab *slab, void *buffer, size_t block_size,
                    uint32_t num_blocks)
{
    struct tally_slab_state *state;
    uint64_t kept;
    uint32_t key;

    if (!is_valid(slab, buffer, block_size, num_blocks))
        return INVALID;
    regions_open();
    key = tally_port_lock();
    state = slab_registry_open(slab, num_blocks);
    if (state == NULL) {
        tally_port_unlock(key);
        return NO_MEMORY;
    }
    kept = tally_port_guard(&state->guard);
    clear(state, buffer, block_size, num_blocks);
    *slab = (struct k_mem_slab){
        .self = slab,
        .buffer = buffer,
        .block_size = block_size,
        .shift = (uint32_t)__builtin_ctzl(block_size),
        .num_blocks = num_blocks,
        .head_mask = TALLY_SLAB_HEAD_MASK(num_blocks),
        .one_used = TALLY_SLAB_USED_UNIT(num_blocks),
        .owners = state->owners,
        .counts = &state->counts,
        .state = state,
    };
    tally_port_unguard(&state->guard, kept);
    if (WAIT_QUEUE_IS_USED)
        serve_waiters(slab);
    slab_region_enter(state);
    tally_port_unlock(key);
    return 0;
}
