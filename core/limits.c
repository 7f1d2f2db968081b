/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - tally/limits.h, as a client of the countdown; see limits.h */
#if __STDC_HOSTED__
#include "core/limits.h"

#include "core/limits_room.h"
#include "tally/port.h"

/* Of errno, which core does not have. */
enum { ERROR_NO_MEMORY = -12, ERROR_INVALID = -22 };

/* In words: as far apart as samples are. */
#define LONGEST_PERIOD 0x1p48

static uint64_t period; /* 0: exact */

uint64_t limits_period_of(double rate)
{
    return rate * LONGEST_PERIOD >= 1 ? (uint64_t)(1 / rate + 0.5)
                                      : (uint64_t)LONGEST_PERIOD;
}

uint64_t limits_period(void)
{
    return __atomic_load_n(&period, __ATOMIC_RELAXED);
}

static void follow(struct counted_thread *thread)
{
    struct limits_room *room = limits_room_of(thread);
    uint64_t wanted = limits_period();

    if (limits_live_is_counted() && room->scopes.live == NULL)
        room->scopes.live = limits_live_take();
    if (room->shared != 0)
        room->position = countdown_position(thread);
    room->shared = 0;
    if (room->period == wanted ||
        (wanted == 0 && limits_thread_is_sampled(&room->scopes)))
        return;
    limits_start_samples(thread, wanted);
}

static uint64_t distance(struct counted_thread *thread)
{
    struct limits_room *room = limits_room_of(thread);
    uint64_t nearest =
        limits_thread_distance(&room->scopes, limits_allocated_by(thread));

    thread->polled = room->scopes.polled;
    if (limits_is_sampling(room)) {
        uint64_t trials = limits_trials_since(room, thread);
        uint64_t next =
            room->sampler.next > trials ? room->sampler.next - trials : 0;

        if (next < nearest / COUNTDOWN_WORD)
            nearest = next * COUNTDOWN_WORD;
    }
    return nearest < COUNTDOWN_NEVER ? nearest : COUNTDOWN_NEVER;
}

static bool allows(struct counted_thread *thread, size_t size)
{
    if (limits_thread_admits(&limits_room_of(thread)->scopes,
                             limits_allocated_by(thread), size))
        return true;
    countdown_recall(thread); /* it is due always from now on */
    return false;
}

static bool count(struct counted_thread *thread,
                  const struct counted_block *counted)
{
    bool may_be =
        counted->announcement != NULL || limits_sample(thread, counted);

    if (!counted->is_set_aside)
        limits_thread_settle(&limits_room_of(thread)->scopes,
                             limits_allocated_by(thread));
    return may_be;
}

static void leave(struct counted_thread *thread)
{
    struct limits_room *room = limits_room_of(thread);

    if (room->scopes.live != NULL)
        limits_live_give(room->scopes.live);
    room->scopes = (struct limits_thread){ .innermost = NULL };
}

static void inherit(struct counted_thread *thread,
                    const struct counted_thread *parent)
{
    const struct limits_room *before =
        (const struct limits_room *)(const void *)
            parent->rooms[COUNTDOWN_LIMITS];

    limits_live_alone();
    limits_room_of(thread)->custom = before->custom;
    limits_thread_inherit(&limits_room_of(thread)->scopes, &before->scopes);
}

static const struct countdown_client client = {
    .counts_words = true,
    .counts_bytes = true,
    .follow = follow,
    .distance = distance,
    .allows = allows,
    .count = count,
    .announce = limits_sample,
    .fail = limits_skip,
    .leave = leave,
    .inherit = inherit,
};

/* From the first scope of a process on, for good. */
static void turn_on(void)
{
    if (countdown_has(COUNTDOWN_LIMITS))
        return;
    __atomic_store_n(&limits_live.is_used, 1, __ATOMIC_RELAXED);
    countdown_lock();
    if (!countdown_has(COUNTDOWN_LIMITS))
        countdown_turn(COUNTDOWN_LIMITS, &client);
    countdown_unlock();
}

void limits_follow_fork(void)
{
    turn_on();
}

/* All threads look again at what concerns all. */
static void tell_all(void)
{
    countdown_lock();
    if (countdown_has(COUNTDOWN_LIMITS))
        countdown_change();
    countdown_unlock();
}

void limits_add_live(int64_t bytes)
{
    struct counted_thread *thread = countdown_thread_if_any();

    if (thread == NULL || limits_room_of(thread)->scopes.live == NULL) {
        limits_live_add(&limits_live.shared, bytes);
    } else if (!limits_pass_live(thread, bytes)) {
        limits_live_room(); /* all learn of it */
        limits_thread_settle(&limits_room_of(thread)->scopes,
                             limits_allocated_by(thread));
        countdown_recall(thread);
    }
}

/* NULL: it has none, or no memory for it. Also while a client is asked. */
static struct counted_thread *own_thread(void)
{
    struct counted_thread *thread = countdown_thread();

    return thread != NULL ? thread : countdown_thread_if_any();
}

static int begin(struct limit_scope *scope, struct limit_wanted wanted)
{
    struct counted_thread *thread;
    bool is_entered;

    if (scope == NULL ||
        (wanted.action != LIMIT_FLAG && wanted.action != LIMIT_ENOMEM))
        return ERROR_INVALID;
    turn_on();
    thread = own_thread();
    if (thread == NULL)
        return ERROR_NO_MEMORY;
    wanted.is_sampled = limits_period() != 0;
    is_entered = countdown_enter(thread);
    limits_thread_begin(&limits_room_of(thread)->scopes, scope, &wanted,
                        limits_allocated_by(thread));
    if (is_entered)
        countdown_leave(thread);
    return 0;
}

int limits_begin_global(struct limit_scope *scope, enum limit_action action)
{
    return begin(
        scope, (struct limit_wanted){ .kind = LIMIT_GLOBAL, .action = action });
}

int limits_begin_allocation(struct limit_scope *scope, uint64_t bytes,
                            enum limit_action action)
{
    return begin(scope, (struct limit_wanted){ .kind = LIMIT_ALLOCATION,
                                               .action = action,
                                               .bytes = bytes });
}

int limits_begin_token(struct limit_scope *scope, struct limit_token *token,
                       enum limit_action action)
{
    if (token == NULL)
        return ERROR_INVALID;
    return begin(scope, (struct limit_wanted){ .kind = LIMIT_TOKEN,
                                               .action = action,
                                               .token = token });
}

int limits_end(struct limit_scope *scope, uint64_t *bytes_allocated)
{
    struct counted_thread *thread = own_thread();
    bool is_entered;
    int is_hit;

    if (scope == NULL || thread == NULL)
        return ERROR_INVALID;
    is_entered = countdown_enter(thread);
    is_hit = limits_thread_end(&limits_room_of(thread)->scopes, scope,
                               limits_allocated_by(thread), bytes_allocated);
    if (is_entered)
        countdown_leave(thread);
    return is_hit < 0 ? ERROR_INVALID : is_hit;
}

int limits_interrupted(void)
{
    struct counted_thread *thread = countdown_thread_if_any();

    if (thread == NULL ||
        !limits_thread_is_interrupted(&limits_room_of(thread)->scopes))
        return 0;
    countdown_recall(thread); /* what was hit just now makes malloc fail */
    return 1;
}

static void change_masks(int change)
{
    struct counted_thread *thread = own_thread();
    struct limits_thread *scopes;
    bool is_entered;

    if (thread == NULL)
        return;
    scopes = &limits_room_of(thread)->scopes;
    if (change < 0 && scopes->masks == 0)
        return;
    is_entered = countdown_enter(thread);
    scopes->masks += (uint32_t)change;
    if (is_entered)
        countdown_leave(thread);
}

void limits_mask_begin(void)
{
    turn_on();
    change_masks(1);
}

void limits_mask_end(void)
{
    change_masks(-1);
}

void limits_set_global(int64_t live_bytes)
{
    if (live_bytes >= 0 && !limits_live_is_counted()) {
        turn_on();
        limits_live_count(tally_port_heap_held());
    }
    limits_live_limit(live_bytes);
    tell_all();
}

void limits_use_sampling(double sampling_rate)
{
    if (!sampler_is_rate(sampling_rate))
        return;
    __atomic_store_n(&period,
                     sampling_rate != 0 ? limits_period_of(sampling_rate) : 0,
                     __ATOMIC_RELAXED);
    tell_all();
}
#else
typedef int limits_is_for_hosts;
#endif
