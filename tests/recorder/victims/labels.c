/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.c - threads that work under labels: scenarios/labels.py
 *
 * Each counted block has 1,000 bytes and comes from take().
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tally/label.h"

enum { SIZE = 1000, THREADS = 4, JOBS = 200 };

static void *volatile kept;

static __attribute__((noinline)) void take(int blocks)
{
    while (blocks-- > 0)
        kept = malloc(SIZE);
}

/* Open two scopes: the outer key again in the inner scope, a removed pair, an
   invalid number. */
static void nest(void)
{
    uint32_t none = tally_label_set("tenant", "a"), a;

    take(1);
    a = tally_label_set("route", "/x");
    take(2);
    tally_label_set("tenant", "b");
    take(4);
    tally_label_set("tenant", NULL);
    take(8);
    tally_label_use(a);
    take(16);
    tally_label_set(NULL, "x");
    tally_label_set("", "x");
    tally_label_set("absent", NULL);
    take(32);
    tally_label_use(none);
    take(64);
    tally_label_use(a);
    tally_label_use(60000);
    take(128);
}

static void choose(const char *key, const char *value, int blocks)
{
    tally_label_set(key, value);
    take(blocks);
}

/* Derive long and short labels from one label, by different keys. */
static void stand_beside(void)
{
    static const char customers[] = "customers";

    for (int i = 0; i < 3; i++) {
        tally_label_use(0);
        choose("tenant", "a", 1);
        tally_label_use(0);
        choose("route", "a", 2);
        choose("tenant", "a", 4);
        tally_label_use(0);
        choose("customer", "number 1", 8);
        choose("customer", "number 2", 16);
        tally_label_use(0);
        choose(customers, "number 1", 32);
        choose("customer", "number 1", 64);
    }
}

static void *run(void *argument)
{
    take(1);
    tally_label_set("worker", argument);
    take(10);
    return NULL;
}

/* Check that a thread starts with its creator's label and changes only its
   own. */
static void inherit(void)
{
    static char *const names[THREADS] = { "0", "1", "2", "3" };
    pthread_t threads[THREADS];

    tally_label_set("tenant", "a");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, names[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    take(100);
}

static void *run_named(void *argument)
{
    char name[16];

    pthread_setname_np(pthread_self(), argument);
    pthread_getname_np(pthread_self(), name, sizeof name);
    tally_label_set("thread", name);
    take(100 * (name[strlen(name) - 1] - '0'));
    return NULL;
}

/* Use the names of threads as labels, as tally/label.h describes. */
static void name(void)
{
    static char *const names[THREADS] = { "worker-1", "worker-2", "worker-3",
                                          "other 4" };
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_named, names[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static struct {
    pthread_mutex_t mutex;
    int next;
    uint32_t labels[JOBS];
} pool = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void *work(void *argument)
{
    for (;;) {
        uint32_t before;
        int job;

        pthread_mutex_lock(&pool.mutex);
        job = pool.next < JOBS ? pool.next++ : JOBS;
        pthread_mutex_unlock(&pool.mutex);
        if (job == JOBS)
            return argument;
        before = tally_label_use(pool.labels[job]);
        take(1);
        tally_label_use(before);
    }
}

/* Hand labels over with jobs: each job allocates for one of three tenants. */
static void hand_over(void)
{
    static const char *const tenants[] = { "a", "b", "c" };
    pthread_t threads[THREADS];

    for (int i = 0; i < JOBS; i++) {
        uint32_t before = tally_label_set("tenant", tenants[i % 3]);

        pool.labels[i] = tally_label_get();
        tally_label_use(before);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Use one stack with 1,100 labels in turn, whose text lies at one address. */
static void overflow(void)
{
    char name[16];

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 1100; i++) {
            snprintf(name, sizeof name, "%d", i);
            tally_label_set("tenant", name);
            take(1);
        }
    }
}

static __attribute__((noinline)) void take_pages(size_t size)
{
    kept = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
}

static void map(void)
{
    for (int i = 0; i < 3; i++) {
        tally_label_set("tenant", "a");
        take_pages(1 << 20);
        tally_label_set("tenant", "b");
        take_pages(2 << 20);
    }
}

/* A child starts with its parent's label, and changes only its own. */
static void spread(void)
{
    int status;

    tally_label_set("tenant", "a");
    take(1);
    fflush(stdout);
    if (fork() == 0) {
        take(2);
        tally_label_set("tenant", "child");
        take(4);
        _exit(0);
    }
    wait(&status);
    take(8);
}

/* Set long texts, bytes of all kinds, and a text that ends at an unmapped
   page. */
static void odd(void)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char key[200], value[200];

    memset(key, 'k', sizeof key - 1);
    memset(value, 'v', sizeof value - 1);
    key[sizeof key - 1] = value[sizeof value - 1] = '\0';
    mprotect(pages + 4096, 4096, PROT_NONE);
    memcpy(pages + 4096 - 4, "end", 4);
    for (int i = 0; i < 3; i++) {
        uint32_t before = tally_label_set(key, value);

        take(1);
        value[100]++; /* beyond the length that is kept */
        tally_label_use(before);
        tally_label_set(pages + 4096 - 4, pages + 4096 - 4);
        take(10);
        tally_label_use(before);
        tally_label_set("\n\033[2J", "\xff\"\\");
        take(100);
        tally_label_use(before);
    }
    for (int i = 0; i < 9; i++) {
        char digit[2] = { (char)('1' + i), '\0' };

        tally_label_set(digit, digit);
    }
    take(1000);
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        { "nest", nest },      { "inherit", inherit },
        { "pool", hand_over }, { "overflow", overflow },
        { "map", map },        { "spread", spread },
        { "odd", odd },        { "beside", stand_beside },
        { "name", name },
    };

    take(10000);
    errno = 7;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (count > 1 && strcmp(arguments[1], parts[i].name) == 0)
            parts[i].run();
    }
    printf("%d %u\n", count > 1 ? 0 : errno, tally_label_get() != 0);
    return 0;
}
