/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.c - pairs of malloc and free, in one state of the recorder
 *
 * The program does not link Tally; it finds the functions if the recorder is
 * loaded. It allocates blocks of 8 to 240 bytes, one at a time, 8 calls below
 * main. callgrind counts two runs of different length; their difference is the
 * cost of the additional pairs.
 *
 * usage: pairs WHAT COUNT
 *
 *     plain      nothing else
 *     new        by operator new and delete of C++
 *     realloc    by realloc alone, which also doubles each block
 *     held       with a hundred live blocks, after the command PAIRS_COMMAND
 *     freed      after that command, and after the hundred were freed
 *     exact      in a scope of tally/limits.h, of bytes
 *     nested     in ten of them
 *     ended      after its end
 *     sampled    in a sampled scope, rate 1e-4
 *     polled     in a scope of a token
 *     token      ... that makes malloc fail
 *     scopes     begin and end of a scope on the stack, instead
 *     scoped     in a scope each
 *     global     with a limit on the process's live bytes
 *     memprof    while tally/memprof.h samples words, at a rate of 1e-6
 *     count      with a callback of tally/mem_trace.h that counts
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/memprof_callbacks.h"
#include "tally/limits.h"
#include "tally/mem_trace.h"

#pragma weak limits_begin_allocation
#pragma weak limits_begin_token
#pragma weak limits_end
#pragma weak limits_set_global
#pragma weak limits_use_sampling
#pragma weak mbed_mem_trace_set_callback
#pragma weak memprof_start

enum { FRAMES = 8, HELD = 100, SMALLEST = 8, SIZES = 233, NESTED = 10 };

#define ENOUGH (UINT64_C(1) << 50)

typedef void *(*allocate_fn)(size_t size);
typedef void (*release_fn)(void *block);

static allocate_fn allocate = malloc;
static release_fn release = free;
static struct limit_scope scopes[NESTED];
static struct limit_token token;
static bool is_scopes, is_scoped;
static struct memprof *profile;
static unsigned long counted;

static void count_event(uint8_t op, void *res, void *caller, ...)
{
    (void)op, (void)res, (void)caller;
    counted++;
}

static int begin_new(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
    void *make = dlsym(RTLD_DEFAULT, "_Znwm");
    void *give = dlsym(RTLD_DEFAULT, "_ZdlPv");

    memcpy(&allocate, &make, sizeof make);
    memcpy(&release, &give, sizeof give);
    return library != NULL && make != NULL && give != NULL ? 0 : -1;
}

static void *allocate_and_double(size_t size)
{
    void *block = realloc(NULL, size);

    return block == NULL ? NULL : realloc(block, 2 * size);
}

static int begin_held(bool is_freed)
{
    static void *volatile held[HELD];
    const char *command = getenv("PAIRS_COMMAND");
    char line[4096];

    for (int i = 0; i < HELD; i++)
        held[i] = malloc(SMALLEST);
    snprintf(line, sizeof line, "%s", command == NULL ? "false" : command);
    if (system(line) != 0)
        return -1;
    for (int i = 0; i < HELD && is_freed; i++)
        free(held[i]);
    return 0;
}

static bool is(const char *what, const char *word)
{
    return strcmp(what, word) == 0;
}

/* Begin the scopes of a state; -1: it has none. */
static int begin_scopes(const char *what)
{
    bool is_token = is(what, "token"), is_nested = is(what, "nested");
    int status = 0;

    is_scoped = is(what, "scoped");
    is_scopes = is(what, "scopes") || is_scoped;
    if (limits_end == NULL || is_scopes)
        return limits_end == NULL ? -1 : 0;
    if (is_token || is(what, "polled"))
        return limits_begin_token(&scopes[0], &token,
                                  is_token ? LIMIT_ENOMEM : LIMIT_FLAG);
    if (is(what, "sampled"))
        limits_use_sampling(1e-4);
    else if (!is(what, "exact") && !is(what, "ended") && !is_nested)
        return -1;
    for (int i = 0; i < (is_nested ? NESTED : 1) && status == 0; i++)
        status = limits_begin_allocation(&scopes[i], ENOUGH, LIMIT_ENOMEM);
    return status != 0 || !is(what, "ended") ? status
                                             : limits_end(&scopes[0], NULL);
}

static int begin(const char *what)
{
    if (strcmp(what, "plain") == 0)
        return 0;
    if (strcmp(what, "new") == 0)
        return begin_new();
    if (strcmp(what, "realloc") == 0) {
        allocate = allocate_and_double;
        return 0;
    }
    if (strcmp(what, "held") == 0 || strcmp(what, "freed") == 0)
        return begin_held(strcmp(what, "freed") == 0);
    if (strcmp(what, "global") == 0 && limits_set_global != NULL) {
        limits_set_global(INT64_MAX / 2);
        return 0;
    }
    if (strcmp(what, "memprof") == 0 && memprof_start != NULL)
        return memprof_start(1e-6, FRAMES, &memprof_keeping, &profile);
    if (strcmp(what, "count") == 0 && mbed_mem_trace_set_callback != NULL) {
        mbed_mem_trace_set_callback(count_event);
        return 0;
    }
    return begin_scopes(what);
}

static void begin_and_end(long pairs)
{
    struct limit_scope inner;

    for (long i = 0; i < pairs; i++) {
        limits_begin_allocation(&inner, ENOUGH, LIMIT_ENOMEM);
        if (is_scoped)
            release(allocate((size_t)(SMALLEST + i % SIZES)));
        limits_end(&inner, NULL);
    }
}

static __attribute__((noinline)) void run(int depth, long pairs)
{
    if (depth > 1) {
        run(depth - 1, pairs);
        __asm volatile("" ::: "memory"); /* prevents a tail call */
        return;
    }
    if (is_scopes) {
        begin_and_end(pairs);
        return;
    }
    for (long i = 0; i < pairs; i++) {
        void *volatile block = allocate((size_t)(SMALLEST + i % SIZES));

        release(block);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3 || begin(argv[1]) != 0) {
        fprintf(stderr, "pairs: %s cannot begin\n", argc < 2 ? "" : argv[1]);
        return 2;
    }
    run(FRAMES, strtol(argv[2], NULL, 10));
    return 0;
}
