/* SPDX-License-Identifier: Apache-2.0 */
/*
 * restless.cpp - do all the time what makes attaching hardest
 *
 * The program checks its results, and ends with status 5 at SIGTERM. A program
 * that execs itself starts with SIGTERM blocked, so that no signal is lost.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/recorder/victims/victim.h"

static bool is_asked_to_end()
{
    sigset_t pending;

    sigpending(&pending);
    return sigismember(&pending, SIGTERM) == 1;
}

static void fill_and_free(unsigned seed)
{
    enum { BLOCKS = 64 };
    unsigned char *blocks[BLOCKS];
    size_t sizes[BLOCKS];

    for (int i = 0; i < BLOCKS; i++) {
        seed = seed * 1103515245 + 12345;
        sizes[i] = (seed >> 16) % 700 + 1;
        blocks[i] = static_cast<unsigned char *>(malloc(sizes[i]));
        REQUIRE(blocks[i] != nullptr);
        memset(blocks[i], i, sizes[i]);
    }
    for (int i = 0; i < BLOCKS; i += 3) {
        sizes[i] *= 2;
        blocks[i] = static_cast<unsigned char *>(realloc(blocks[i], sizes[i]));
        REQUIRE(blocks[i][0] == i && blocks[i][sizes[i] / 2 - 1] == i);
    }
    for (int i = 0; i < BLOCKS; i++) {
        REQUIRE(blocks[i][0] == i);
        free(blocks[i]);
    }
}

static void calls(char **)
{
    static unsigned seed;

    fill_and_free(seed++);
}

static int thrown(int depth)
{
    std::string text(static_cast<size_t>(depth) + 30, 'x');

    if (depth == 0)
        throw std::runtime_error(text);
    return thrown(depth - 1) + static_cast<int>(text.size());
}

static void throw_and_catch()
{
    try {
        REQUIRE(thrown(8) < 0);
    } catch (const std::runtime_error &error) {
        REQUIRE(std::string(error.what()).size() == 30);
    }
}

static void *run_thread(void *seed)
{
    fill_and_free(static_cast<unsigned>(reinterpret_cast<size_t>(seed)));
    return seed;
}

static void *run_thrower(void *seed)
{
    for (int i = 0; i < 100; i++)
        throw_and_catch();
    return seed;
}

static void begin(pthread_t *thread, void *(*run)(void *), size_t number)
{
    REQUIRE(pthread_create(thread, nullptr, run,
                           reinterpret_cast<void *>(number)) == 0);
}

static void join(pthread_t thread, size_t number)
{
    void *result;

    REQUIRE(pthread_join(thread, &result) == 0 &&
            result == reinterpret_cast<void *>(number));
}

static void run_at_once(void *(*run)(void *), size_t at_once)
{
    std::vector<pthread_t> begun(at_once);

    for (size_t i = 0; i < at_once; i++)
        begin(&begun[i], run, i);
    for (size_t i = 0; i < at_once; i++)
        join(begun[i], i);
}

static void exceptions(char **)
{
    run_at_once(run_thrower, 8);
}

static void threads(char **)
{
    run_at_once(run_thread, 16);
}

static std::atomic<bool> is_asked_to_leave[1000];

static void *stay_and_leave(void *number)
{
    while (!is_asked_to_leave[reinterpret_cast<size_t>(number)]) {
        run_thread(number);
        usleep(200000);
    }
    return number;
}

/* Keep 1,000 threads, of which one after the other ends and is replaced. */
static void crowd(char **)
{
    static std::vector<pthread_t> all;
    static size_t next;

    while (all.size() < 1000) {
        all.emplace_back();
        begin(&all.back(), stay_and_leave, all.size() - 1);
    }
    for (int i = 0; i < 10; i++) {
        is_asked_to_leave[(next + i) % 1000] = true;
    }
    for (int i = 0; i < 10; i++) {
        join(all[next], next);
        is_asked_to_leave[next] = false;
        begin(&all[next], stay_and_leave, next);
        next = (next + 1) % 1000;
    }
}

static void forks(char **)
{
    void *block = malloc(1000);
    pid_t child = fork();
    int status;

    if (child == 0) {
        fill_and_free(1);
        free(block);
        _exit(7);
    }
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
            WEXITSTATUS(status) == 7);
    free(block);
}

static volatile unsigned handled;

/* Not async-signal-safe, but the main thread only waits. */
static void handle(int)
{
    int kept = errno;

    fill_and_free(handled++);
    errno = kept;
}

static void handlers(char **)
{
    static bool is_begun;
    const struct itimerval often = { { 0, 200 }, { 0, 200 } };
    unsigned before = handled;

    if (!is_begun) {
        signal(SIGALRM, handle);
        setitimer(ITIMER_REAL, &often, nullptr);
        is_begun = true;
    }
    while (handled < before + 20)
        pause();
}

/* Stay in the loader for half of the time: where mappings are slow, a program
   that does nothing else has no safe place within the limit. */
static void loads(char **arguments)
{
    static const char *const names[] = { "plugin_one.so", "plugin_two.so" };

    for (const char *name : names) {
        std::string path(arguments[0]);
        void *library;

        path.replace(path.rfind('/') + 1, std::string::npos, name);
        library = dlopen(path.c_str(), RTLD_NOW);
        if (library == nullptr)
            victim_fail(dlerror());
        for (unsigned i = 0; i < 50; i++)
            fill_and_free(i);
        REQUIRE(dlclose(library) == 0);
    }
}

static void execs(char **arguments)
{
    fill_and_free(1);
    execv("/proc/self/exe", arguments);
    victim_fail("exec\n");
}

static const struct {
    const char *name;
    void (*run)(char **arguments);
} ways[] = {
    { "calls", calls }, { "exceptions", exceptions }, { "threads", threads },
    { "crowd", crowd }, { "forks", forks },           { "handlers", handlers },
    { "loads", loads }, { "execs", execs },
};

int main(int count, char **arguments)
{
    sigset_t asked;

    sigemptyset(&asked);
    sigaddset(&asked, SIGTERM);
    sigprocmask(SIG_BLOCK, &asked, nullptr);
    if (getenv("RESTLESS") == nullptr) {
        setenv("RESTLESS", "runs", 1);
        victim_say(".");
    }
    for (const auto &way : ways) {
        while (count == 2 && way.name == std::string(arguments[1])) {
            if (is_asked_to_end())
                return 5;
            way.run(arguments);
        }
    }
    return VICTIM_FAILED;
}
