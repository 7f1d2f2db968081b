/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader.c - the loader's own allocations never fail
 *
 * The loader ends the process if it has no memory for thread-local variables,
 * and pthread_exit() if it cannot load libgcc_s, which this program must not
 * load earlier.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

static struct limit_token token = { 1 };
static uint64_t held_by_loader;

static void *exit_in_scope(void *unused)
{
    struct limit_scope scope;

    (void)unused;
    limits_begin_token(&scope, &token, LIMIT_ENOMEM);
    expect("pthread_exit", "malloc fails", malloc(1) == NULL);
    pthread_exit(&token);
}

static int *(*word)(void);

static void *touch_in_scope(void *unused)
{
    struct limit_scope scope;
    void *volatile block;
    int found;

    (void)unused;
    limits_begin_allocation(&scope, 64, LIMIT_ENOMEM);
    block = malloc(100);
    expect("thread's words", "malloc fails before", block == NULL);
    found = *word();
    expect("thread's words", "are there", found == 42);
    block = malloc(1);
    expect("thread's words", "malloc fails after", block == NULL);
    expect("thread's words", "they are counted",
           limits_end(&scope, &held_by_loader) == 1);
    return &token;
}

static void expect_end(const char *subject, void *(*run)(void *))
{
    pthread_t thread;
    void *result = NULL;

    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, &result);
    expect(subject, "the thread ends well", result == &token);
}

int main(int argc, char **argv)
{
    struct limit_scope scope;
    void *library, *symbol;

    expect_end("pthread_exit", exit_in_scope);
    if (argc < 2)
        return expect_status();
    limits_begin_token(&scope, &token, LIMIT_ENOMEM);
    library = dlopen(argv[1], RTLD_NOW);
    expect("dlopen", "finds memory", library != NULL);
    limits_end(&scope, NULL);
    symbol = library != NULL ? dlsym(library, "thread_word") : NULL;
    if (symbol == NULL)
        return 1;
    word = (int *(*)(void))symbol;
    expect_end("thread's words", touch_in_scope);
    expect("thread's words", "by their size", held_by_loader >= 4096);
    return expect_status();
}
