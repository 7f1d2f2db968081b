/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace.c - cost of trace callbacks
 *
 * The program does not link Tally; it finds the functions if the recorder is
 * preloaded:
 *
 *     mem_trace pair                  malloc and free, as they are
 *     mem_trace count                 ... with a callback that counts
 *     mem_trace after                 ... when it was taken away again
 *     mem_trace text FILE             ... with the default callback, to FILE
 *     mem_trace mtrace                ... with glibc's mtrace()
 *     mem_trace lines FILE            the default callback by itself, and
 *                                     the bare write of its line
 *     mem_trace lock                  an uncontended lock and unlock
 *
 * Prints "NAME VALUE" lines, nanoseconds each; the least of many rounds.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <mcheck.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PIECES = 60, PAIRS = 4000, SIZE = 50 };

typedef void (*callback_fn)(uint8_t op, void *res, void *caller, ...);

static void (*set_callback)(callback_fn callback);
static void (*set_descriptor)(int descriptor);
static callback_fn write_line;
static unsigned long counted;
static int fd = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *find(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

static void find_functions(void)
{
    void *found = find("mbed_mem_trace_set_callback");

    memcpy(&set_callback, &found, sizeof found);
    found = find("tally_mem_trace_set_descriptor");
    memcpy(&set_descriptor, &found, sizeof found);
    found = find("mbed_mem_trace_default_callback");
    memcpy(&write_line, &found, sizeof found);
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void measure(const char *name, void (*run)(void))
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < PIECES; i++) {
        uint64_t start = now(), took;

        for (unsigned pair = 0; pair < PAIRS; pair++)
            run();
        took = now() - start;
        if (took < least)
            least = took;
    }
    printf("%s %.2f\n", name, (double)least / PAIRS);
}

/* volatile: compilers know malloc and free. */
static void pair(void)
{
    static void *volatile block;

    block = malloc(SIZE);
    free(block);
}

static void lock_pair(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void count(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    counted++;
}

static void tell(void)
{
    write_line(0, (void *)0x55d0c0de1230, (void *)0x55d0c0ffee01, (size_t)SIZE);
}

static void bare_write(void)
{
    static const char line[] = "#m:0x55d0c0de1230;0x55d0c0ffee01-50\n";

    if (write(fd, line, sizeof line - 1) < 0)
        abort();
}

static void *end_at_once(void *unused)
{
    return unused;
}

/* libc avoids locked instructions while there is one thread. */
static void make_a_thread(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
        pthread_join(thread, NULL);
}

static void open_file(const char *path)
{
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0)
        abort();
    if (set_descriptor != NULL)
        set_descriptor(fd);
}

int main(int count_of_arguments, char **arguments)
{
    const char *what = count_of_arguments > 1 ? arguments[1] : "pair";

    find_functions();
    make_a_thread();
    if (count_of_arguments > 2)
        open_file(arguments[2]);
    if (strcmp(what, "lock") == 0) {
        measure("lock", lock_pair);
        return 0;
    }
    if (strcmp(what, "lines") == 0) {
        measure("callback", tell);
        measure("bare_write", bare_write);
        return 0;
    }
    if (strcmp(what, "mtrace") == 0)
        mtrace();
    if (strcmp(what, "count") == 0 || strcmp(what, "after") == 0)
        set_callback(count);
    if (strcmp(what, "after") == 0)
        set_callback(NULL);
    if (strcmp(what, "text") == 0)
        set_callback(write_line);
    measure(what, pair);
    if (strcmp(what, "count") == 0 && counted < 2ul * PIECES * PAIRS)
        return 1;
    return 0;
}
