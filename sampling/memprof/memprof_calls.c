/* SPDX-License-Identifier: Apache-2.0 */
/* memprof_calls.c - the public functions; see memprof_calls.h */
#include "sampling/memprof/memprof_calls.h"

const struct memprof_calls *memprof_calls = &memprof_own_calls;

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
