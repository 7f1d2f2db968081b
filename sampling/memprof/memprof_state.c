/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_state.c - profiles and domains
 *
 * This file is long because profiles and domains end together: the last domain
 * ends its profile's sampling, and a new process forgets both.
 */
#include "sampling/memprof/memprof_state.h"

#include <string.h>

/* Error numbers of Linux, which core lacks. */
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
    /* Handles that still report that they were discarded. */
    DISCARDED_KEPT = 1024,
    /* Oldest discarded profiles that a start examines for reuse. */
    LOOKS = 8,
};

/* In words: its end is a valid position. */
static const size_t LONGEST_EPOCH = COUNTDOWN_NEVER / COUNTDOWN_WORD;

/* With the lock held. */
static struct profiles {
    void *unused;
    struct memprof *discarded, **discarded_end; /* oldest first */
    uint32_t discarded_count;
    uint32_t sampling_count;
    uint32_t last_number;
    uint32_t process;
    struct counted_thread *taking; /* must leave in memprof_unlock(); or NULL */
} profiles;

/* Settings of profiles to come. */
static struct {
    size_t epoch_words, minor_words;
    uint64_t seed;
} wanted = { EPOCH_WORDS, MINOR_WORDS, 0 };

static void end_sampling(struct memprof *profile)
{
    if (profile->stage != MEMPROF_SAMPLING)
        return;
    __atomic_store_n(&profile->stage, MEMPROF_STOPPED, __ATOMIC_RELEASE);
    __atomic_store_n(&profiles.sampling_count, profiles.sampling_count - 1,
                     __ATOMIC_RELAXED);
}

static struct memprof_domain first = { .is_first = true };

/* With the lock held; domains that have ended are reused. */
static void *spare_domains;
static uint32_t other_count;

struct memprof_domain *memprof_domain_of(struct counted_thread *thread)
{
    struct memprof_domain *domain =
        thread == NULL ? NULL : memprof_room(thread)->domain;

    return domain != NULL ? domain : &first;
}

void memprof_domain_join(struct memprof_thread *room)
{
    if (room->domain == NULL)
        __atomic_store_n(&room->domain, &first, __ATOMIC_RELAXED);
}

static void set_profile(struct memprof_domain *domain, struct memprof *profile)
{
    struct memprof *before = domain->profile;

    INVARIANT(P1, countdown_is_locked());
    if (profile != NULL)
        profile->domains++;
    __atomic_store_n(&domain->profile, profile, __ATOMIC_SEQ_CST);
    if (before == NULL)
        return;
    before->domains--;
    if (before->domains == 0)
        end_sampling(before);
}

static void leave_domain(struct memprof_domain *domain)
{
    if (domain->is_first || --domain->threads > 0)
        return;
    set_profile(domain, NULL);
    domain->next = spare_domains;
    spare_domains = domain;
    other_count--;
}

static bool make_domain(struct counted_thread *thread)
{
    static struct own_memory own = OWN_MEMORY;
    struct memprof_domain *left = memprof_domain_of(thread);
    struct memprof_domain *made =
        own_memory_piece(&own, &spare_domains, sizeof *made);

    if (made == NULL)
        return false;
    made->threads = 1;
    made->profile = NULL;
    other_count++;
    set_profile(made, left->profile);
    __atomic_store_n(&memprof_room(thread)->domain, made, __ATOMIC_RELAXED);
    leave_domain(left);
    return true;
}

void memprof_lock(void)
{
    struct counted_thread *thread = countdown_thread_if_any();
    bool has_begun = thread != NULL && countdown_begin_take(thread);
    uint32_t process = countdown_lock();

    profiles.taking = has_begun ? thread : NULL;
    if (profiles.process == process)
        return;
    memset(&profiles, 0, offsetof(struct profiles, taking));
    profiles.process = process;
    profiles.discarded_end = &profiles.discarded;
    first = (struct memprof_domain){ .is_first = true };
    spare_domains = NULL;
    other_count = 0;
    tracked_forget();
}

void memprof_unlock(void)
{
    struct counted_thread *thread = profiles.taking;

    countdown_unlock();
    if (thread != NULL)
        countdown_end_take(thread);
}

static bool is_wanted(void)
{
    return profiles.sampling_count != 0 || !tracked_is_empty() ||
           other_count != 0;
}

/* Set or remove the client of the countdown. With the lock held. */
static void update_client(void)
{
    countdown_set_client(COUNTDOWN_MEMPROF,
                         is_wanted() ? &memprof_client : NULL);
}

/* Update the client only if it must be set or removed: no thread needs to ask
   anew. */
static void update_client_if_changed(void)
{
    if (countdown_has(COUNTDOWN_MEMPROF) != is_wanted())
        update_client();
}

void memprof_stop_if_idle(void)
{
    /* Never wait: this thread may hold the lock. Its holder checks, too. */
    if (__atomic_load_n(&profiles.sampling_count, __ATOMIC_RELAXED) != 0 ||
        tracked_count() != 0 || countdown_is_locked())
        return;
    memprof_lock();
    update_client();
    memprof_unlock();
}

/* With the lock held. */
static void release_all(struct memprof *profile)
{
    memprof_unhold(profile, tracked_release_all(profile));
}

void memprof_keep_counting(struct memprof *profile)
{
    if (memprof_has_stage(profile, MEMPROF_SAMPLING))
        return;
    memprof_lock();
    if (memprof_is_over(profile))
        release_all(profile);
    update_client();
    memprof_unlock();
}

struct memprof_domain *memprof_domain_hold(void)
{
    struct counted_thread *thread = countdown_thread_if_any();
    struct memprof_domain *domain = memprof_domain_of(thread);

    if (domain->is_first)
        return NULL;
    memprof_lock();
    domain->threads++;
    memprof_unlock();
    return domain;
}

void memprof_domain_drop(struct memprof_domain *domain)
{
    memprof_lock();
    leave_domain(domain);
    update_client_if_changed();
    memprof_unlock();
}

void memprof_domain_enter(struct memprof_domain *domain)
{
    struct counted_thread *thread = countdown_thread_make();

    if (thread != NULL)
        __atomic_store_n(&memprof_room(thread)->domain, domain,
                         __ATOMIC_RELAXED);
    else
        memprof_domain_drop(domain);
}

static void keep_discarded(struct memprof *profile)
{
    profile->next = NULL;
    *profiles.discarded_end = profile;
    profiles.discarded_end = &profile->next;
    profiles.discarded_count++;
}

/* P3. Check the holds last: a thread that samples for a profile can add
   some. */
static bool is_in_use(const struct memprof *profile)
{
    if (profile->domains != 0)
        return true;
    for (struct counted_thread *one = countdown_threads(); one != NULL;
         one = one->next) {
        if (__atomic_load_n(&one->is_taken, __ATOMIC_ACQUIRE) != 0 &&
            __atomic_load_n(&memprof_room(one)->profile, __ATOMIC_SEQ_CST) ==
                profile)
            return true;
    }
    return __atomic_load_n(&profile->holds, __ATOMIC_ACQUIRE) != 0;
}

/* Return the oldest discarded profile, if there are enough of them, or a new
   one. A profile still in use is skipped; superfluous ones become unused. */
static struct memprof *take_profile(void)
{
    static struct own_memory own = OWN_MEMORY;
    struct memprof *taken = NULL;

    for (int i = 0; i < LOOKS && profiles.discarded_count >= DISCARDED_KEPT;
         i++) {
        struct memprof *oldest = profiles.discarded;

        profiles.discarded = oldest->next;
        profiles.discarded_count--;
        if (is_in_use(oldest)) {
            keep_discarded(oldest);
        } else if (taken == NULL) {
            taken = oldest;
        } else {
            oldest->next = profiles.unused;
            profiles.unused = oldest;
        }
    }
    if (taken == NULL)
        taken = own_memory_piece(&own, &profiles.unused, sizeof *taken);
    return taken;
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
    set_profile(domain, profile);
    *started = profile;
    update_client();
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

int memprof_local_start(double sampling_rate, int callstack_size,
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

int memprof_local_stop(void)
{
    struct memprof_domain *domain;
    int result = NO_SUCH;

    memprof_flush_scope();
    memprof_lock();
    domain = own_domain();
    if (is_sampling(domain)) {
        end_sampling(domain->profile);
        update_client();
        result = 0;
    }
    memprof_unlock();
    return result;
}

static int discard_locked(struct memprof *profile)
{
    if (profile->process != profiles.process) /* of the parent process */
        profile->stage = profile->stage == MEMPROF_SAMPLING ? MEMPROF_STOPPED
                                                            : profile->stage;
    if (profile->stage == MEMPROF_SAMPLING)
        return BUSY;
    if (profile->stage == MEMPROF_DISCARDED)
        return ALREADY;
    __atomic_store_n(&profile->stage, MEMPROF_DISCARDED, __ATOMIC_RELEASE);
    if (profile->process != profiles.process)
        return 0;
    release_all(profile);
    keep_discarded(profile);
    update_client();
    return 0;
}

int memprof_local_discard(struct memprof *profile)
{
    int result;

    if (profile == NULL)
        return INVALID;
    memprof_lock();
    result = discard_locked(profile);
    memprof_unlock();
    return result;
}

int memprof_local_is_sampling(void)
{
    int result;

    memprof_lock();
    result = is_sampling(own_domain());
    memprof_unlock();
    return result;
}

double memprof_local_effective_rate(const struct memprof *profile)
{
    return profile == NULL ? 0 : profile->rate;
}

int memprof_local_domain_new(void)
{
    struct counted_thread *thread = countdown_thread_make();
    bool is_made;

    if (thread == NULL)
        return NO_MEMORY;
    memprof_lock();
    is_made = make_domain(thread);
    update_client_if_changed();
    memprof_unlock();
    return is_made ? 0 : NO_MEMORY;
}

void memprof_local_nursery(size_t epoch_words, size_t minor_words)
{
    memprof_lock();
    wanted.epoch_words = epoch_words == 0              ? 1
                         : epoch_words < LONGEST_EPOCH ? epoch_words
                                                       : LONGEST_EPOCH;
    wanted.minor_words = minor_words;
    memprof_unlock();
}

void memprof_local_seed(uint64_t seed)
{
    memprof_lock();
    wanted.seed = seed;
    memprof_unlock();
}
