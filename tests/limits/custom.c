/* SPDX-License-Identifier: Apache-2.0 */
/* custom.c - memory charged by call counts like allocations */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tally/limits.h"
#include "tally/memprof.h"
#include "tests/limits/expect.h"

static unsigned samples;

static void *note(const struct memprof_allocation *allocation, void *context)
{
    (void)context;
    samples += allocation->n_samples;
    return &samples;
}

static const struct memprof_tracker tracker = { .alloc_minor = note,
                                                .alloc_major = note };

static void is_charged_to_the_byte(void)
{
    struct limit_scope outer, scope;
    uint64_t bytes;

    limits_begin_allocation(&outer, 5000, LIMIT_FLAG);
    limits_begin_allocation(&scope, 1000, LIMIT_FLAG);
    expect("exact", "no profile samples", memprof_custom_alloc(998) == 0);
    expect("exact", "not yet", limits_interrupted() == 0);
    free(malloc(1));
    expect("exact", "not yet, with a block", limits_interrupted() == 0);
    memprof_custom_alloc(1);
    expect("exact", "now", limits_interrupted() == 1);
    expect("exact", "was hit", limits_end(&scope, &bytes) == 1);
    expect("exact", "1000 bytes", bytes == 1000);
    memprof_custom_alloc(3999);
    expect("exact", "outer, not yet", limits_interrupted() == 0);
    free(malloc(1));
    expect("exact", "outer", limits_end(&outer, &bytes) == 1);
    expect("exact", "5000 bytes", bytes == 5000);
}

/* All charges together are more than 2^64 bytes. */
static void sums_may_wrap(void)
{
    static const size_t half = (size_t)1 << 63;

    for (int i = 0; i < 3; i++) {
        struct limit_scope outer, scope;
        uint64_t bytes;

        limits_begin_allocation(&outer, half + 1000, LIMIT_FLAG);
        limits_begin_allocation(&scope, half / 2 + 1000, LIMIT_FLAG);
        memprof_custom_alloc(half / 2 + 999);
        expect("sums", "not yet", limits_end(&scope, &bytes) == 0);
        expect("sums", "all are charged", bytes == half / 2 + 999);
        memprof_custom_alloc(half / 2);
        expect("sums", "outer, not yet", limits_interrupted() == 0);
        memprof_custom_alloc(1);
        expect("sums", "outer", limits_end(&outer, &bytes) == 1);
        expect("sums", "all of it", bytes == half + 1000);
        limits_begin_allocation(&scope, half, LIMIT_FLAG);
        memprof_custom_alloc(SIZE_MAX);
        expect("sums", "more than there is", limits_end(&scope, NULL) == 1);
    }
}

static void is_not_refused_itself(void)
{
    struct limit_scope scope;
    struct memprof *profile;
    uint64_t first, second;

    memprof_start(1, 0, &tracker, &profile);
    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    first = memprof_custom_alloc(2000);
    second = memprof_custom_alloc(2000);
    errno = 0;
    expect("refusal", "both are sampled", first != 0 && second != 0);
    expect("refusal", "malloc is", malloc(1) == NULL && errno == ENOMEM);
    expect("refusal", "hit", limits_end(&scope, NULL) == 1);
    memprof_custom_free(first);
    memprof_custom_free(second);
    memprof_stop();
    memprof_discard(profile);
}

static void is_charged_by_samples(bool has_profile)
{
    const char *how = has_profile ? "shared" : "own samples";
    struct limit_scope scope;
    struct memprof *profile;
    uint64_t bytes;

    limits_use_sampling(1);
    if (has_profile)
        memprof_start(1, 0, &tracker, &profile);
    limits_begin_allocation(&scope, 1000 * 8, LIMIT_FLAG);
    for (int i = 0; i < 99; i++)
        memprof_custom_free(memprof_custom_alloc(79));
    free(malloc(64));
    expect(how, "not yet", limits_interrupted() == 0);
    memprof_custom_alloc(8);
    expect(how, "now", limits_interrupted() == 1);
    expect(how, "hit", limits_end(&scope, &bytes) == 1);
    expect(how, "1000 words", bytes == 1000 * 8);
    if (has_profile) {
        memprof_stop();
        memprof_discard(profile);
    }
    limits_use_sampling(0);
}

/* A rate that is not a whole number of words per sample is then not rounded. */
static void a_profile_that_runs_is_charged_as_it_is(void)
{
    struct limit_scope scope;
    struct memprof *profile;
    uint64_t bytes, exact;

    memprof_start(0.0777, 0, &tracker, &profile);
    limits_use_sampling(1e-4);
    limits_begin_allocation(&scope, UINT64_MAX, LIMIT_FLAG);
    samples = 0;
    for (int i = 0; i < 100000; i++)
        free(malloc(100));
    expect("0.0777", "not hit", limits_end(&scope, &bytes) == 0);
    exact = (uint64_t)(samples / 0.0777) * 8;
    expect("0.0777", "each sample is 1/rate words",
           samples > 90000 && bytes <= exact && bytes + 8 >= exact);
    memprof_stop();
    memprof_discard(profile);
    limits_use_sampling(0);
}

static void files_are_not_charged(void)
{
    struct limit_scope scope;
    uint64_t bytes;
    FILE *file = tmpfile();
    void *map;

    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
    expect("files", "are mapped", map != MAP_FAILED);
    munmap(map, 4096);
    expect("files", "not hit", limits_end(&scope, &bytes) == 0);
    expect("files", "no bytes", bytes == 0);
    fclose(file);
}

/* Refuse a realloc when its sample uses up the scope; the block stays. */
static void a_realloc_is_refused(bool has_profile)
{
    struct limit_scope scope;
    struct memprof *profile;
    char *block;

    limits_use_sampling(1);
    if (has_profile)
        memprof_start(1, 0, &tracker, &profile);
    block = malloc(100);
    block[99] = 'x';
    limits_begin_allocation(&scope, 1000 * 8, LIMIT_ENOMEM);
    errno = 0;
    expect("realloc", "is refused",
           realloc(block, 8000) == NULL && errno == ENOMEM);
    expect("realloc", "hit", limits_end(&scope, NULL) == 1);
    expect("realloc", "its block is there", block[99] == 'x');
    block = realloc(block, 8000);
    expect("realloc", "outside", block != NULL && block[99] == 'x');
    free(block);
    if (has_profile) {
        memprof_stop();
        memprof_discard(profile);
    }
    limits_use_sampling(0);
}

int main(void)
{
    is_charged_to_the_byte();
    sums_may_wrap();
    is_not_refused_itself();
    is_charged_by_samples(false);
    is_charged_by_samples(true);
    a_profile_that_runs_is_charged_as_it_is();
    files_are_not_charged();
    a_realloc_is_refused(false);
    a_realloc_is_refused(true);
    return expect_status();
}
