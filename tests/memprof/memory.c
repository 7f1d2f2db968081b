/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - memory of profiles, domains and blocks is reused */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/memprof/tracker.h"

enum {
    WARM_UP = 2000,
    TIMES = 150000,
    THREADS = 20000,
    IDLE_THREADS = 800,
    MOST_KIB = 768,
    MOST_IDLE_KIB = 256,
};

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

static void check_growth(const char *what, long before, long most)
{
    long growth = resident_kib() - before;

    if (growth > most)
        fprintf(stderr, "%s: %ld KiB more\n", what, growth);
    CHECK(growth <= most);
}

/* Profiles shorter than an epoch of the thread. */
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
    check_growth("profiles", before, MOST_KIB);
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
    check_growth("tokens", before, MOST_KIB);
    end(profile);
}

static void *profile_itself(void *profile)
{
    CHECK_IS(memprof_domain_new(), 0);
    CHECK_IS(memprof_start(1, 0, &following, profile), 0);
    return NULL;
}

/* Meanwhile the first domain has a profile that was discarded first. */
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
    check_growth("domains", before, MOST_KIB);
}

static pthread_barrier_t is_idle;
static pthread_mutex_t idle = PTHREAD_MUTEX_INITIALIZER;

static void *sample_and_idle(void *unused)
{
    free(malloc(8));
    pthread_barrier_wait(&is_idle);
    pthread_mutex_lock(&idle);
    pthread_mutex_unlock(&idle);
    return unused;
}

/* Each thread was last sampled for a profile of its own, which was
   discarded. */
static void check_idle_threads(void)
{
    static pthread_t threads[IDLE_THREADS];
    struct memprof *profile;
    long before = 0;

    pthread_barrier_init(&is_idle, NULL, 2);
    pthread_mutex_lock(&idle);
    for (int i = 0; i < IDLE_THREADS; i++) {
        CHECK_IS(memprof_start(1, 0, &following, &profile), 0);
        CHECK_IS(pthread_create(&threads[i], NULL, sample_and_idle, NULL), 0);
        pthread_barrier_wait(&is_idle);
        end(profile);
    }
    for (int i = 0; i < WARM_UP + TIMES; i++) {
        if (i == WARM_UP)
            before = resident_kib();
        CHECK_IS(memprof_start(1, 0, &following, &profile), 0);
        end(profile);
    }
    check_growth("idle threads", before, MOST_IDLE_KIB);
    pthread_mutex_unlock(&idle);
    for (int i = 0; i < IDLE_THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    setvbuf(stderr, NULL, _IONBF, 0);
    check_short_profiles();
    check_tokens();
    check_domains();
    check_idle_threads();
    return end_of_test();
}
