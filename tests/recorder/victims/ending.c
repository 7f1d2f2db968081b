/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ending.c - end in the way named by the argument, as without a recorder
 *
 * The ledger has all allocations up to the end, those of handlers included.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "tests/recorder/victims/victim.h"

static void *in_main(void)
{
    return victim_keep(malloc(100));
}

static void *at_the_end(void)
{
    return victim_keep(malloc(50));
}

static void allocate(void)
{
    at_the_end();
}

static void handle(int number)
{
    (void)number;
    at_the_end();
    _exit(41);
}

static void end_by_exit(void)
{
    REQUIRE(atexit(allocate) == 0);
    exit(40);
}

static void end_by_quick_exit(void)
{
    REQUIRE(at_quick_exit(allocate) == 0);
    quick_exit(42);
}

static void end_at_once(void)
{
    allocate();
    _exit(43);
}

static void *exit_from_thread(void *unused)
{
    (void)unused;
    allocate();
    exit(44);
}

static void end_from_thread(void)
{
    pthread_t thread;

    REQUIRE(pthread_create(&thread, NULL, exit_from_thread, NULL) == 0);
    pthread_join(thread, NULL);
}

static void *outlive_main(void *main_thread)
{
    pthread_t thread;

    memcpy(&thread, main_thread, sizeof thread);
    pthread_join(thread, NULL);
    allocate();
    return NULL;
}

static void end_main_first(void)
{
    static pthread_t self;
    pthread_t thread;

    self = pthread_self();
    REQUIRE(pthread_create(&thread, NULL, outlive_main, &self) == 0);
    pthread_exit(NULL);
}

static void end_by_abort(void)
{
    allocate();
    abort();
}

static void end_in_handler(void)
{
    signal(SIGSEGV, handle);
    raise(SIGSEGV);
}

static void end_by_kill(void)
{
    allocate();
    kill(getpid(), SIGKILL);
}

static void end_by_cpu_limit(void)
{
    struct rlimit limit = { 1, 1 };

    allocate();
    REQUIRE(setrlimit(RLIMIT_CPU, &limit) == 0);
    for (;;)
        ;
}

static const struct {
    const char *name;
    void (*end)(void);
} ends[] = {
    { "exit", end_by_exit },           { "quick_exit", end_by_quick_exit },
    { "_exit", end_at_once },          { "thread", end_from_thread },
    { "main_first", end_main_first },  { "abort", end_by_abort },
    { "handler", end_in_handler },     { "kill", end_by_kill },
    { "cpu_limit", end_by_cpu_limit },
};

int main(int argc, char **argv)
{
    in_main();
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (argc == 2 && strcmp(argv[1], ends[i].name) == 0)
            ends[i].end();
    }
    return VICTIM_FAILED;
}
