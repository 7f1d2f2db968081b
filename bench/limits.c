/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.c - cost of allocations within limits
 *
 * The program does not link Tally; it finds the functions if the recorder is
 * preloaded. It prints nanoseconds for a malloc of 1 to 128 bytes and its free,
 * the best of several runs:
 *
 *     limits pair          as they are
 *     limits exact         in a scope of bytes
 *     limits nested        in ten of them
 *     limits ended         when it has ended
 *     limits polled        in a scope of a token
 *     limits token         ... that makes malloc fail
 *     limits sampled       in a sampled scope, rate 1e-4
 *     limits global        while there is a limit on what the process holds
 *     limits scopes        to begin a scope and end it, instead
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tally/limits.h"

#pragma weak limits_begin_allocation
#pragma weak limits_begin_token
#pragma weak limits_begin_global
#pragma weak limits_end
#pragma weak limits_set_global
#pragma weak limits_use_sampling

enum { PAIRS = 2000000, RUNS = 7, NESTED = 10 };

#define ENOUGH (UINT64_C(1) << 50)

static struct limit_scope scopes[NESTED];
static struct limit_token token;

static bool is_known(const char *what)
{
    static const char *const words[] = { "pair",    "exact",  "nested",
                                         "ended",   "polled", "token",
                                         "sampled", "global", "scopes" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(what, words[i]) == 0)
            return true;
    }
    return false;
}

static void prepare(const char *what)
{
    if (strcmp(what, "sampled") == 0)
        limits_use_sampling(1e-4);
    if (strcmp(what, "polled") == 0)
        limits_begin_token(&scopes[0], &token, LIMIT_FLAG);
    else if (strcmp(what, "token") == 0)
        limits_begin_token(&scopes[0], &token, LIMIT_ENOMEM);
    else if (strcmp(what, "global") == 0)
        limits_set_global(INT64_MAX / 2);
    else if (strcmp(what, "pair") != 0 && strcmp(what, "scopes") != 0)
        limits_begin_allocation(&scopes[0], ENOUGH, LIMIT_ENOMEM);
    for (int i = 1; i < NESTED && strcmp(what, "nested") == 0; i++)
        limits_begin_allocation(&scopes[i], ENOUGH, LIMIT_ENOMEM);
    if (strcmp(what, "ended") == 0)
        limits_end(&scopes[0], NULL);
}

static void allocate(void)
{
    for (int i = 0; i < PAIRS; i++) {
        void *volatile block = malloc((size_t)(i & 127) + 1);

        free(block);
    }
}

static void begin_and_end(void)
{
    for (int i = 0; i < PAIRS; i++) {
        limits_begin_allocation(&scopes[0], ENOUGH, LIMIT_ENOMEM);
        limits_end(&scopes[0], NULL);
    }
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "pair";
    double best = 1e9;

    if (!is_known(what)) {
        fprintf(stderr, "limits: there is no %s\n", what);
        return 2;
    }
    if (strcmp(what, "pair") != 0 && limits_begin_allocation == NULL) {
        fprintf(stderr, "limits: no recorder; preload libtally-record.so\n");
        return 2;
    }
    prepare(what);
    for (int run = 0; run < RUNS; run++) {
        double begin = now_ns(), each;

        if (strcmp(what, "scopes") == 0)
            begin_and_end();
        else
            allocate();
        each = (now_ns() - begin) / PAIRS;
        best = each < best ? each : best;
    }
    printf("%s %.2f\n", what, best);
    return 0;
}
