/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiled.c - limits and profiles at once
 *
 * With sampling both see the same samples: the charge of a scope equals the
 * callbacks' samples, to the word. Callbacks may use limits.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tally/limits.h"
#include "tally/memprof.h"
#include "tests/limits/expect.h"
#include "tests/limits/held.h"

static struct memprof *profile;
static volatile uint64_t samples, calls, interrupted, deallocs;
static volatile bool rejects;

static void *told(const struct memprof_allocation *allocation, void *context)
{
    (void)context;
    samples += allocation->n_samples;
    calls++;
    if (limits_interrupted() == 0)
        return NULL;
    interrupted++;
    return rejects ? MEMPROF_REJECT : NULL;
}

static void *follow(const struct memprof_allocation *allocation, void *context)
{
    (void)allocation;
    return context;
}

static void *told_of_epoch(void *minor, void *context)
{
    (void)context;
    calls++;
    return minor;
}

static void told_of_end(void *metadata, void *context)
{
    (void)metadata;
    (void)context;
    deallocs++;
}

static const struct memprof_tracker tracker = { .alloc_minor = told,
                                                .alloc_major = told };
static const struct memprof_tracker following = {
    .alloc_minor = follow,
    .alloc_major = follow,
    .promote = told_of_epoch,
    .dealloc_minor = told_of_end,
    .dealloc_major = told_of_end,
    .context = &profile,
};

static void start(double rate)
{
    samples = calls = interrupted = 0;
    expect("start", "it starts",
           memprof_start(rate, 0, &tracker, &profile) == 0);
}

static void end(void)
{
    memprof_stop();
    memprof_discard(profile);
}

static bool can_allocate(size_t size)
{
    void *volatile block = malloc(size);

    free(block);
    return block != NULL;
}

static bool has_rate(double rate, double effective)
{
    double found;

    if (memprof_start(rate, 0, &tracker, &profile) != 0)
        return false;
    found = memprof_effective_rate(profile);
    end();
    return fabs(found - effective) < 1e-15;
}

static void rates_are_rounded_while_limits_are_sampled(void)
{
    expect("exact", "0.42 is 0.42", has_rate(0.42, 0.42));
    expect("exact", "1e-6 is 1e-6", has_rate(1e-6, 1e-6));
    expect("exact", "0 is 0", has_rate(0, 0));
    limits_use_sampling(1e-4);
    expect("sampled", "0.42 is 1/2", has_rate(0.42, 0.5));
    expect("sampled", "0.83 is 1", has_rate(0.83, 1));
    expect("sampled", "0.9 is 1", has_rate(0.9, 1));
    expect("sampled", "0.17 is 1/6", has_rate(0.17, 1.0 / 6));
    expect("sampled", "1e-4 is 1e-4", has_rate(1e-4, 1e-4));
    expect("sampled", "below there is none",
           memprof_start(0.99e-4, 0, &tracker, &profile) == -EINVAL &&
               memprof_start(0, 0, &tracker, &profile) == -EINVAL);
    limits_use_sampling(0);
    expect("exact", "1e-6 is 1e-6 again", has_rate(1e-6, 1e-6));
}

static void both_see_the_same_samples(double rate, uint64_t period)
{
    struct limit_scope scope;
    uint64_t bytes;

    limits_use_sampling(1e-4);
    start(rate);
    limits_begin_allocation(&scope, UINT64_MAX, LIMIT_ENOMEM);
    samples = 0;
    for (unsigned i = 0; i < 200000; i++)
        can_allocate(i % 1000);
    expect("shared", "nothing is hit", limits_end(&scope, &bytes) == 0);
    expect("shared", "what the profile saw was charged",
           bytes == samples * period * sizeof(void *) && samples > 100);
    end();
    limits_use_sampling(0);
}

/* A profile that samples less than limits do leaves them their own samples. */
static void a_slow_profile_does_not_blunt_limits(void)
{
    struct limit_scope scope;

    start(1e-9);
    limits_use_sampling(0.1);
    limits_begin_allocation(&scope, 1 << 20, LIMIT_ENOMEM);
    for (unsigned i = 0; i < 100000 && can_allocate(1000); i++)
        ;
    expect("slow", "the scope is hit", limits_end(&scope, NULL) == 1);
    end();
    limits_begin_allocation(&scope, 1 << 20, LIMIT_ENOMEM);
    for (unsigned i = 0; i < 100000 && can_allocate(1000); i++)
        ;
    expect("slow", "and without it", limits_end(&scope, NULL) == 1);
    limits_use_sampling(0);
}

static void callbacks_are_a_handler(void)
{
    struct limit_scope scope;

    start(1);
    rejects = false;
    limits_begin_allocation(&scope, 1000, LIMIT_FLAG);
    expect("handler", "900", can_allocate(900) && interrupted == 0);
    expect("handler", "the one that hits is told of",
           can_allocate(100) && interrupted == 1);
    expect("handler", "and each behind it",
           can_allocate(1) && interrupted == 2);
    limits_mask_begin();
    expect("handler", "but masked ones", can_allocate(1) && interrupted == 2);
    limits_mask_end();
    rejects = true;
    expect("handler", "it may reject", !can_allocate(1) && interrupted == 3);
    expect("handler", "hit", limits_end(&scope, NULL) == 1);
    expect("handler", "and all is well", can_allocate(1) && interrupted == 3);
    end();
}

static void masked_blocks_are_not_told_of(void)
{
    void *volatile block, *volatile before;

    start(1);
    rejects = false;
    before = malloc(1);
    expect("masked", "one before", calls == 1);
    limits_mask_begin();
    block = malloc(10);
    free(before);
    memprof_custom_free(memprof_custom_alloc(10));
    memprof_marshal_object(&profile, 8);
    expect("masked", "none in it", block != NULL && calls == 1);
    limits_mask_end();
    free(block);
    expect("masked", "nor of its end", calls == 1);
    expect("masked", "but of the next", can_allocate(1) && calls == 2);
    end();
}

/* A marshal scope that ends in a masked section. */
static void marshalled_blocks_are_told_of_behind_the_mask(bool stops)
{
    void *volatile block;

    start(1);
    memprof_marshal_begin();
    block = malloc(10);
    limits_mask_begin();
    memprof_marshal_end();
    if (stops)
        memprof_stop();
    expect("marshalled", "not in the mask", calls == 0);
    limits_mask_end();
    expect("marshalled", "with the next",
           can_allocate(1) && calls == (stops ? 0 : 2));
    free(block);
    end();
}

static void free_masked(void *block, bool advances)
{
    LIMIT_MASK(mask);

    if (advances)
        memprof_advance();
    can_allocate(4 << 20); /* completes an epoch */
    free(block);
    expect("masked", "no end is told of", calls == 0 && deallocs == 0);
}

static void ends_are_told_of_behind_the_mask(bool advances)
{
    void *volatile block, *volatile kept;

    calls = deallocs = 0;
    memprof_start(1, 0, &following, &profile);
    block = malloc(100);
    kept = malloc(100);
    free_masked(block, advances);
    expect("masked", "the ends are told of then, and no later ones",
           can_allocate(1) && calls == 1 && deallocs == 2);
    end();
    free(kept);
}

/* Limits do not refuse the loader's blocks, which are no masked ones. */
static void the_loaders_blocks_are_told_of(void)
{
    struct limit_scope scope;
    void *library;

    limits_begin_allocation(&scope, 1, LIMIT_ENOMEM);
    start(1);
    rejects = false;
    library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
    expect("loader", "it gets memory and is told of",
           library != NULL && calls > 0);
    end();
    limits_end(&scope, NULL);
    dlclose(library);
}

static void what_is_rejected_is_charged_to_nobody(void)
{
    struct limit_token token = { 1 };
    struct limit_scope outer, scope;
    uint64_t bytes;

    start(1);
    rejects = true;
    limits_begin_token(&outer, &token, LIMIT_FLAG);
    limits_begin_allocation(&scope, 1000, LIMIT_FLAG);
    expect("rejected", "NULL and ENOMEM", !can_allocate(10) && errno == ENOMEM);
    expect("rejected", "charged to no scope",
           limits_end(&scope, &bytes) == 0 && bytes == 0);
    limits_end(&outer, NULL);
    rejects = false;
    end();
}

static void what_is_refused_is_no_sample(void)
{
    struct limit_scope scope;

    start(1);
    limits_begin_allocation(&scope, 100, LIMIT_ENOMEM);
    expect("refused", "99 are told of", can_allocate(99) && calls == 1);
    expect("refused", "100 are not", !can_allocate(1) && calls == 1);
    limits_end(&scope, NULL);
    end();

    limits_use_sampling(1);
    start(1);
    limits_begin_allocation(&scope, 10 * sizeof(void *), LIMIT_ENOMEM);
    expect("refused", "8 words and a header",
           can_allocate(8 * sizeof(void *)) && calls == 1);
    expect("refused", "the next word is not told of",
           !can_allocate(0) && calls == 1);
    limits_end(&scope, NULL);
    end();
    limits_use_sampling(0);
}

/* Check every call and each realloc. */
static void what_is_sampled_is_held(void)
{
    int64_t before, with;
    void *volatile block;
    size_t usable;

    start(1);
    before = held();
    block = malloc(1000);
    block = realloc(block, 3000);
    usable = malloc_usable_size(block);
    with = held();
    free(block);
    expect("held", "what is sampled", with == before + (int64_t)usable);
    rejects = true;
    {
        struct limit_token token = { 1 };
        struct limit_scope scope;

        limits_begin_token(&scope, &token, LIMIT_FLAG);
        expect("held", "rejected", !can_allocate(1000));
        limits_end(&scope, NULL);
    }
    rejects = false;
    expect("held", "and what is given back is not", held() == before);
    end();
}

static void what_a_profile_has_sampled_is_not_sampled_again(void)
{
    struct limit_scope scope;
    uint64_t bytes;

    limits_use_sampling(1);
    start(1);
    limits_begin_allocation(&scope, UINT64_MAX, LIMIT_FLAG);
    can_allocate(9 * sizeof(void *));
    memprof_stop();
    can_allocate(0);
    memprof_discard(profile);
    can_allocate(0);
    limits_end(&scope, &bytes);
    expect("again", "10 words, 1 and 1", bytes == 12 * sizeof(void *));
    limits_use_sampling(0);
}

/* Begin scopes in a callback, where nothing is counted. */
static void *scoped(const struct memprof_allocation *allocation, void *context)
{
    struct limit_scope scope;

    (void)allocation;
    (void)context;
    expect("callback", "begin",
           limits_begin_allocation(&scope, 10, LIMIT_ENOMEM) == 0);
    expect("callback", "what it allocates is its own", can_allocate(100));
    expect("callback", "end", limits_end(&scope, NULL) == 0);
    calls++;
    return NULL;
}

static void callbacks_may_have_scopes(void)
{
    const struct memprof_tracker scopes = { .alloc_minor = scoped };
    struct limit_scope scope;
    uint64_t bytes;

    calls = 0;
    memprof_start(1, 0, &scopes, &profile);
    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    expect("callback", "998", can_allocate(998) && calls == 1);
    expect("callback", "and no more", can_allocate(1) && calls == 2);
    expect("callback", "exactly", !can_allocate(1));
    expect("callback", "charged",
           limits_end(&scope, &bytes) == 1 && bytes == 999);
    end();
}

int main(void)
{
    rates_are_rounded_while_limits_are_sampled();
    both_see_the_same_samples(1e-3, 1000);
    both_see_the_same_samples(0.3, 3);
    both_see_the_same_samples(1, 1);
    a_slow_profile_does_not_blunt_limits();
    callbacks_are_a_handler();
    masked_blocks_are_not_told_of();
    marshalled_blocks_are_told_of_behind_the_mask(false);
    marshalled_blocks_are_told_of_behind_the_mask(true);
    ends_are_told_of_behind_the_mask(false);
    ends_are_told_of_behind_the_mask(true);
    the_loaders_blocks_are_told_of();
    what_is_rejected_is_charged_to_nobody();
    what_is_refused_is_no_sample();
    callbacks_may_have_scopes();
    what_a_profile_has_sampled_is_not_sampled_again();
    what_is_sampled_is_held();
    return expect_status();
}
