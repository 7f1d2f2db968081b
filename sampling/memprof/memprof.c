/* SPDX-License-Identifier: Apache-2.0 */
/* memprof.c - profiles start, stop and are discarded: tally/memprof.h */
#include <stddef.h>
#include <string.h>

#include "core/base/own_memory.h"
#include "sampling/countdown/block_filter.h"
#include "sampling/limits/limits.h"
#include "sampling/memprof/memprof_calls.h"
#include "sampling/memprof/memprof_domain.h"
#include "sampling/memprof/memprof_sources.h"
#include "sampling/memprof/memprof_state.h"

/* As errno has them on Linux, which core does not know. */
enum {
    NO_SUCH = -3,
    NO_MEMORY = -12,
    BUSY = -16,
    INVALID = -22,
    ALREADY = -114,
};

enum {
    EPOCH_WORDS = 262144,
    MINOR_WORDS = 256,
    /* Handles that still tell that they were discarded. */
    DISCARDED_KEPT = 1024,
    PROFILES_AT_ONCE = 4096 / sizeof(struct memprof),
};

/* In words: its end is no farther than a position can be. */
static const size_t LONGEST_EPOCH = COUNTDOWN_NEVER / COUNTDOWN_WORD;

/* With the lock held. */
static struct {
    struct memprof *unused;
    struct memprof *discarded, **discarded_end; /* the oldest first */
    uint32_t discarded_count;
    uint32_t sampling_count;
    uint32_t last_number;
    uint32_t process;
} profiles;

/* For profiles to come. */
static struct {
    size_t epoch_words, minor_words;
    uint64_t seed;
} wanted = { EPOCH_WORDS, MINOR_WORDS, 0 };

void memprof_lock(void)
{
    uint32_t process = countdown_lock();

    if (profiles.process == process)
        return;
    memset(&profiles, 0, sizeof profiles);
    profiles.process = process;
    profiles.discarded_end = &profiles.discarded;
    memprof_domains_forget();
    tracked_forget();
}

void memprof_unlock(void)
{
    countdown_unlock();
}

static bool is_wanted(void)
{
    return profiles.sampling_count != 0 || !tracked_is_empty() ||
           memprof_domains_are_many();
}

void memprof_turn(void)
{
    countdown_turn(COUNTDOWN_MEMPROF, is_wanted() ? &memprof_client : NULL);
}

void memprof_turn_unless_so(void)
{
    if (countdown_has(COUNTDOWN_MEMPROF) != is_wanted())
        memprof_turn();
}

void memprof_turn_if_over(void)
{
    /* Never wait: this thread may hold the lock. Its holder looks, too. */
    if (__atomic_load_n(&profiles.sampling_count, __ATOMIC_RELAXED) != 0 ||
        tracked_count() != 0 || countdown_is_locked())
        return;
    memprof_lock();
    memprof_turn();
    memprof_unlock();
}

void memprof_turn_for(const struct memprof *profile)
{
    if (memprof_has_stage(profile, MEMPROF_SAMPLING))
        return;
    memprof_lock();
    if (memprof_is_over(profile))
        tracked_release_all(profile);
    memprof_turn();
    memprof_unlock();
}

void memprof_end_sampling(struct memprof *profile)
{
    if (profile->stage != MEMPROF_SAMPLING)
        return;
    __atomic_store_n(&profile->stage, MEMPROF_STOPPED, __ATOMIC_RELEASE);
    __atomic_store_n(&profiles.sampling_count, profiles.sampling_count - 1,
                     __ATOMIC_RELAXED);
}

static struct memprof *take_new(void)
{
    static struct own_memory own = OWN_MEMORY;
    struct memprof *profile = profiles.unused;

    if (profile == NULL) {
        struct memprof *more =
            own_memory_alloc(&own, PROFILES_AT_ONCE * sizeof *more);

        if (more == NULL)
            return NULL;
        for (size_t i = 0; i < PROFILES_AT_ONCE; i++) {
            more[i].next = profiles.unused;
            profiles.unused = &more[i];
        }
        profile = profiles.unused;
    }
    profiles.unused = profile->next;
    return profile;
}

static void keep_discarded(struct memprof *profile)
{
    profile->next = NULL;
    *profiles.discarded_end = profile;
    profiles.discarded_end = &profile->next;
    profiles.discarded_count++;
}

/*
 * The oldest that was discarded, when there are enough of them, or a new one. What
 * a domain still has waits for another turn.
 */
static struct memprof *take_profile(void)
{
    struct memprof *oldest = profiles.discarded;

    if (profiles.discarded_count < DISCARDED_KEPT)
        return take_new();
    profiles.discarded = oldest->next;
    profiles.discarded_count--;
    if (oldest->domains == 0)
        return oldest;
    keep_discarded(oldest);
    return take_new();
}

static bool is_sampling(const struct memprof_domain *domain)
{
    const struct memprof *profile = domain->profile;

    return profile != NULL && memprof_has_stage(profile, MEMPROF_SAMPLING);
}

static struct memprof_domain *own_domain(void)
{
    return memprof_domain_of(countdown_thread_if_any());
}

static int start_locked(double rate, int callstack_size,
                        const struct memprof_tracker *tracker,
                        struct memprof **started)
{
    struct memprof_domain *domain = own_domain();
    struct memprof *profile;

    if (is_sampling(domain))
        return ALREADY;
    profile = take_profile();
    if (profile == NULL)
        return NO_MEMORY;
    *profile = (struct memprof){
        .tracker = *tracker,
        .rate = rate,
        .seed = wanted.seed,
        .epoch = (uint64_t)wanted.epoch_words * COUNTDOWN_WORD,
        .minor_words = wanted.minor_words,
        .callstack_size = callstack_size,
        .stage = MEMPROF_SAMPLING,
        .number = ++profiles.last_number,
        .process = profiles.process,
    };
    __atomic_store_n(&profiles.sampling_count, profiles.sampling_count + 1,
                     __ATOMIC_RELAXED);
    memprof_domain_set(domain, profile);
    *started = profile;
    memprof_turn();
    return 0;
}

/* While limits are sampled, a sample stands for a whole number of words. */
static bool round_rate(double *rate)
{
    if (limits_period() == 0)
        return true;
    if (*rate < LIMITS_LOWEST_RATE)
        return false;
    *rate = 1 / (double)limits_period_of(*rate);
    return true;
}

static int start(double sampling_rate, int callstack_size,
                 const struct memprof_tracker *tracker,
                 struct memprof **profile)
{
    int result;

    if (!sampler_is_rate(sampling_rate) || callstack_size < 0 ||
        tracker == NULL || profile == NULL || !round_rate(&sampling_rate))
        return INVALID;
    memprof_lock();
    result = start_locked(sampling_rate, callstack_size, tracker, profile);
    memprof_unlock();
    return result;
}

static int stop(void)
{
    struct memprof_domain *domain;
    int result = NO_SUCH;

    memprof_marshal_flush();
    memprof_lock();
    domain = own_domain();
    if (is_sampling(domain)) {
        memprof_end_sampling(domain->profile);
        memprof_turn();
        result = 0;
    }
    memprof_unlock();
    return result;
}

static int discard_locked(struct memprof *profile)
{
    if (profile->process != profiles.process) /* of the parent's */
        profile->stage = profile->stage == MEMPROF_SAMPLING ? MEMPROF_STOPPED
                                                            : profile->stage;
    if (profile->stage == MEMPROF_SAMPLING)
        return BUSY;
    if (profile->stage == MEMPROF_DISCARDED)
        return ALREADY;
    __atomic_store_n(&profile->stage, MEMPROF_DISCARDED, __ATOMIC_RELEASE);
    if (profile->process != profiles.process)
        return 0;
    tracked_release_all(profile);
    keep_discarded(profile);
    memprof_turn();
    return 0;
}

static int discard(struct memprof *profile)
{
    int result;

    if (profile == NULL)
        return INVALID;
    memprof_lock();
    result = discard_locked(profile);
    memprof_unlock();
    return result;
}

static int is_sampling_here(void)
{
    int result;

    memprof_lock();
    result = is_sampling(own_domain());
    memprof_unlock();
    return result;
}

static double effective_rate(const struct memprof *profile)
{
    return profile == NULL ? 0 : profile->rate;
}

static void advance(void)
{
    struct counted_thread *thread = countdown_thread();
    struct memprof_thread *room;

    if (thread == NULL) {
        thread = countdown_thread_if_any();
        if (thread == NULL || !countdown_is_on())
            return;
        room = memprof_room(thread);
        room->must_advance = 1;
        return;
    }
    if (!countdown_enter(thread))
        return;
    memprof_advance_all(thread, memprof_domain_of(thread));
    memprof_catch_up(thread);
    countdown_leave(thread);
    memprof_turn_if_over();
}

static int domain_new(void)
{
    struct counted_thread *thread = countdown_thread_make();
    bool is_made;

    if (thread == NULL)
        return NO_MEMORY;
    memprof_lock();
    is_made = memprof_domain_make(thread);
    memprof_turn_unless_so();
    memprof_unlock();
    return is_made ? 0 : NO_MEMORY;
}

static void set_nursery(size_t epoch_words, size_t minor_words)
{
    memprof_lock();
    wanted.epoch_words = epoch_words == 0              ? 1
                         : epoch_words < LONGEST_EPOCH ? epoch_words
                                                       : LONGEST_EPOCH;
    wanted.minor_words = minor_words;
    memprof_unlock();
}

static void set_seed(uint64_t seed)
{
    memprof_lock();
    wanted.seed = seed;
    memprof_unlock();
}

const struct memprof_calls memprof_own_calls = {
    .start = start,
    .stop = stop,
    .discard = discard,
    .is_sampling = is_sampling_here,
    .effective_rate = effective_rate,
    .advance = advance,
    .domain_new = domain_new,
    .custom_alloc = memprof_own_custom_alloc,
    .custom_free = memprof_own_custom_free,
    .marshal_begin = memprof_own_marshal_begin,
    .marshal_end = memprof_own_marshal_end,
    .marshal_object = memprof_own_marshal_object,
    .nursery = set_nursery,
    .seed = set_seed,
};
