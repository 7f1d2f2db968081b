/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label_pairs.c - CPU time of tally/label.h, and of malloc and free with labels
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tally/label.h"

enum { ROUNDS = 5, CALLS = 4000000, NAMES = 64 };

static char names[NAMES][16];
static uint32_t label;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void nothing(int i)
{
    (void)i;
    __asm__("" ::: "memory");
}

static void use(int i)
{
    (void)i;
    tally_label_use(label);
}

static void set(int i)
{
    (void)i;
    tally_label_set("tenant", "a");
}

static void set_and_back(int i)
{
    tally_label_use(tally_label_set("tenant", names[i * 7 % NAMES]));
}

static void set_new_text(int i)
{
    static char text[16];

    text[0] = (char)('a' + i % 16);
    tally_label_set("tenant", text);
}

static void pair(int i)
{
    (void)i;
    free(malloc(10));
}

static void pair_of_many(int i)
{
    tally_label_set("tenant", names[i * 7 % NAMES]);
    free(malloc(10));
}

/* Return the best round: other processes disturb the others. */
static double measure(void (*run)(int i))
{
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double begin = now(), taken;

        for (int i = 0; i < CALLS; i++)
            run(i);
        taken = (now() - begin) / CALLS;
        best = round == 0 || taken < best ? taken : best;
    }
    return best;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(int i);
    } rows[] = {
        { "pair", pair },
        { "set", set },
        { "use", use },
        { "set_and_back", set_and_back },
        { "set_new_text", set_new_text },
        { "pair_labelled", pair },
        { "pair_of_64_labels", pair_of_many },
    };

    for (int i = 0; i < NAMES; i++)
        snprintf(names[i], sizeof names[i], "tenant-%d", i);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        printf("%s %.2f\n", rows[i].name,
               measure(rows[i].run) - measure(nothing));
        label = tally_label_get();
    }
    return 0;
}
