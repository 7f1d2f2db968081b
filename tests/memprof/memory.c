/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - what profiles, domains and blocks took is used again */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/memprof/tracker.h"

enum { WARM_UP = 2000, TIMES = 150000, THREADS = 20000, MOST_KIB = 768 };

static void *follow(const struct memprof_allocation *allocation, void *context)
{
    (void)allocation;
    return context;
}

static const struct memprof_tracker following = {
    .alloc_minor = follow,
    .alloc_major = follow,
    .context = &failures,
};

static long resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long all, resident = -1;

    CHECK(file != NULL && fscanf(file, "%ld %ld", &all, &resident) == 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void check_growth(const char *what, long before)
{
    long growth = resident_kib() - before;

    if (growth > MOST_KIB)
        fprintf(stderr, "%s: %ld KiB more\n", what, growth);
    CHECK(growth <= MOST_KIB);
}

/* Profiles that are shorter than an epoch of the thread. */
static void check_short_profiles(void)
{
    long before = 0;

    for (int i = 0; i < WARM_UP + TIMES; i++) {
        struct memprof *profile;
        void *block;

        if (i == WARM_UP)
            before = resident_kib();
        CHECK_IS(memprof_start(1, 0, &following, &profile), 0);
        free(realloc(malloc(8), 5000));
        memprof_marshal_begin();
        free(malloc(8));
        block = malloc(8);
        memprof_marshal_end();
        free(block);
        end(profile);
    }
    check_growth("profiles", before);
}

/* Tokens, which end no epoch. */
static void check_tokens(void)
{
    struct memprof *profile;
    long before = 0;

    CHECK_IS(memprof_start(1, 0, &following, &profile), 0);
    for (int i = 0; i < WARM_UP + TIMES; i++) {
        if (i == WARM_UP)
            before = resident_kib();
        memprof_custom_free(memprof_custom_alloc(8));
    }
    check_growth("tokens", before);
    end(profile);
}

static void *profile_itself(void *profile)
{
    CHECK_IS(memprof_domain_new(), 0);
    CHECK_IS(memprof_start(1, 0, &following, profile), 0);
    return NULL;
}

/* While the first domain has one that was discarded first. */
static void check_domains(void)
{
    long before = 0;

    for (int i = 0; i < WARM_UP + THREADS; i++) {
        struct memprof *profile;
        pthread_t thread;

        if (i == WARM_UP)
            before = resident_kib();
        CHECK_IS(pthread_create(&thread, NULL, profile_itself, &profile), 0);
        pthread_join(thread, NULL);
        CHECK_IS(memprof_discard(profile), 0);
    }
    check_growth("domains", before);
}

int main(void)
{
    setvbuf(stderr, NULL, _IONBF, 0);
    check_short_profiles();
    check_tokens();
    check_domains();
    return end_of_test();
}
