/* SPDX-License-Identifier: Apache-2.0 */
/* memprof.c - the public functions; see memprof.h */
#include "sampling/memprof/memprof.h"

#include "sampling/memprof/memprof_client.h"
#include "sampling/memprof/memprof_state.h"

static int start(double sampling_rate, int callstack_size,
                 const struct memprof_tracker *tracker,
                 struct memprof **profile)
{
    memprof_use_client(&memprof_client);
    return memprof_profile_start(sampling_rate, callstack_size, tracker,
                                 profile);
}

static int stop(void)
{
    memprof_flush_scope();
    return memprof_profile_stop();
}

static int domain_new(void)
{
    memprof_use_client(&memprof_client);
    return memprof_domain_begin();
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
    memprof_stop_if_idle();
}

const struct memprof_calls memprof_local_calls = {
    .start = start,
    .stop = stop,
    .discard = memprof_profile_discard,
    .is_sampling = memprof_profile_is_sampling,
    .effective_rate = memprof_profile_rate,
    .advance = advance,
    .domain_new = domain_new,
    .custom_alloc = memprof_begin_custom,
    .custom_free = memprof_end_custom,
    .marshal_begin = memprof_begin_scope,
    .marshal_end = memprof_end_scope,
    .marshal_object = memprof_add_to_scope,
    .nursery = memprof_set_nursery,
    .seed = memprof_set_seed,
};

const struct memprof_calls *memprof_calls = &memprof_local_calls;

__attribute__((visibility("default")))
const struct memprof_tracker memprof_null_tracker;

int memprof_start(double sampling_rate, int callstack_size,
                  const struct memprof_tracker *tracker,
                  struct memprof **profile)
{
    return memprof_calls->start(sampling_rate, callstack_size, tracker,
                                profile);
}

int memprof_stop(void)
{
    return memprof_calls->stop();
}

int memprof_discard(struct memprof *profile)
{
    return memprof_calls->discard(profile);
}

int memprof_is_sampling(void)
{
    return memprof_calls->is_sampling();
}

double memprof_effective_rate(const struct memprof *profile)
{
    return memprof_calls->effective_rate(profile);
}

void memprof_advance(void)
{
    memprof_calls->advance();
}

int memprof_domain_new(void)
{
    return memprof_calls->domain_new();
}

uint64_t memprof_custom_alloc(size_t bytes)
{
    return memprof_calls->custom_alloc(bytes);
}

void memprof_custom_free(uint64_t token)
{
    memprof_calls->custom_free(token);
}

void memprof_marshal_begin(void)
{
    memprof_calls->marshal_begin();
}

void memprof_marshal_end(void)
{
    memprof_calls->marshal_end();
}

void memprof_marshal_object(void *object, size_t bytes)
{
    memprof_calls->marshal_object(object, bytes);
}

void tally_memprof_nursery(size_t epoch_words, size_t minor_words)
{
    memprof_calls->nursery(epoch_words, minor_words);
}

void tally_memprof_seed(uint64_t seed)
{
    memprof_calls->seed(seed);
}
