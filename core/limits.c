/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - tally/limits.h, as a client of the countdown; see limits.h */
#if __STDC_HOSTED__
#include "core/limits.h"

#include "core/limits_thread.h"
#include "core/sampler.h"
#include "tally/port.h"

/* Of errno, which core does not have. */
enum { ERROR_NO_MEMORY = -12, ERROR_INVALID = -22 };

enum { SEED = 42 };

/* In words: as far apart as samples are. */
#define LONGEST_PERIOD 0x1p48

/* What a thread has in its room. At first all zeros. */
struct limits_room {
    struct limits_thread scopes;
    struct sampler sampler;
    uint64_t period;   /* of the sampler; 0: it does not sample */
    uint64_t position; /* of the countdown, when it last did */
    uint64_t shared;   /* the period of the profile that samples for it; or 0 */
};

_Static_assert(sizeof(struct limits_room) <= COUNTDOWN_ROOM,
               "a room is large enough");

static uint64_t period; /* 0: exact */

uint64_t limits_period_of(double rate)
{
    return rate * LONGEST_PERIOD >= 1 ? (uint64_t)(1 / rate + 0.5)
                                      : (uint64_t)LONGEST_PERIOD;
}

static struct limits_room *room_of(struct counted_thread *thread)
{
    return countdown_room(thread, COUNTDOWN_LIMITS);
}

uint64_t limits_period(void)
{
    return __atomic_load_n(&period, __ATOMIC_RELAXED);
}

static void follow(struct counted_thread *thread)
{
    struct limits_room *room = room_of(thread);
    uint64_t wanted = limits_period();

    if (limits_live_is_counted() && room->scopes.live == NULL)
        room->scopes.live = limits_live_take();
    if (room->shared != 0)
        room->position = countdown_position(thread);
    room->shared = 0;
    if (room->period == wanted ||
        (wanted == 0 && limits_thread_is_sampled(&room->scopes)))
        return;
    if (room->period == 0)
        sampler_seed(&room->sampler, SEED, thread->number);
    room->period = wanted;
    room->position = countdown_position(thread);
    if (wanted != 0)
        sampler_start(&room->sampler, 1 / (double)wanted);
}

static bool is_sampling(const struct limits_room *room)
{
    return room->period != 0 && room->shared == 0;
}

/* Words allocated since the sampler was last asked, their headers included. */
static uint64_t trials_since(const struct limits_room *room,
                             const struct counted_thread *thread)
{
    return (countdown_position(thread) - room->position) / COUNTDOWN_WORD;
}

static uint64_t distance(struct counted_thread *thread)
{
    struct limits_room *room = room_of(thread);
    uint64_t nearest = limits_thread_distance(&room->scopes, thread->allocated);

    if (is_sampling(room)) {
        uint64_t trials = trials_since(room, thread);
        uint64_t next =
            room->sampler.next > trials ? room->sampler.next - trials : 0;

        if (next < nearest / COUNTDOWN_WORD)
            nearest = next * COUNTDOWN_WORD;
    }
    return nearest < COUNTDOWN_NEVER ? nearest : COUNTDOWN_NEVER;
}

static bool allows(struct counted_thread *thread, size_t size)
{
    if (limits_thread_admits(&room_of(thread)->scopes, thread->allocated, size))
        return true;
    countdown_recall(thread); /* it is due always from now on */
    return false;
}

static bool count(struct counted_thread *thread,
                  const struct counted_block *counted)
{
    struct limits_room *room = room_of(thread);
    bool may_be = true;

    if (is_sampling(room)) {
        uint64_t samples =
            sampler_take(&room->sampler, trials_since(room, thread));

        room->position = countdown_position(thread);
        may_be = samples == 0 || counted->is_set_aside ||
                 limits_thread_sample(&room->scopes, samples, room->period);
    }
    if (!counted->is_set_aside)
        limits_thread_settle(&room->scopes, thread->allocated);
    return may_be;
}

/* Its words were trials: countdown.h. */
static void fail(struct counted_thread *thread, size_t size)
{
    struct limits_room *room = room_of(thread);

    if (!is_sampling(room))
        return;
    sampler_skip(&room->sampler, trials_since(room, thread));
    room->position = countdown_position(thread);
    sampler_skip(&room->sampler, (uint64_t)size / COUNTDOWN_WORD +
                                     (size % COUNTDOWN_WORD != 0) + 1);
}

static void leave(struct counted_thread *thread)
{
    struct limits_room *room = room_of(thread);

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
    limits_thread_inherit(&room_of(thread)->scopes, &before->scopes);
}

static const struct countdown_client client = {
    .counts_words = true,
    .counts_bytes = true,
    .follow = follow,
    .distance = distance,
    .allows = allows,
    .count = count,
    .fail = fail,
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

void limits_share(struct counted_thread *thread, double rate)
{
    struct limits_room *room = room_of(thread);
    uint64_t shared = rate != 0 ? limits_period_of(rate) : 0;

    room->shared = shared <= room->period ? shared : 0;
}

bool limits_sampled(struct counted_thread *thread, uint64_t samples)
{
    struct limits_room *room = room_of(thread);

    return room->shared == 0 ||
           limits_thread_sample(&room->scopes, samples, room->shared);
}

void limits_add_live(int64_t bytes)
{
    struct counted_thread *thread = countdown_thread_if_any();
    struct limits_thread *scopes =
        thread != NULL ? &room_of(thread)->scopes : NULL;

    if (scopes == NULL || scopes->live == NULL) {
        limits_live_add(&limits_live.shared, bytes);
        return;
    }
    limits_live_add(scopes->live, bytes);
    if (scopes->live->bytes > scopes->live_due ||
        limits_live_is_nearer(scopes->nearness)) {
        limits_live_room(); /* all learn of it */
        limits_thread_settle(scopes, thread->allocated);
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
    limits_thread_begin(&room_of(thread)->scopes, scope, &wanted,
                        thread->allocated);
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
    is_hit = limits_thread_end(&room_of(thread)->scopes, scope,
                               thread->allocated, bytes_allocated);
    if (is_entered)
        countdown_leave(thread);
    return is_hit < 0 ? ERROR_INVALID : is_hit;
}

int limits_interrupted(void)
{
    struct counted_thread *thread = countdown_thread_if_any();

    if (thread == NULL ||
        !limits_thread_is_interrupted(&room_of(thread)->scopes))
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
    scopes = &room_of(thread)->scopes;
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
