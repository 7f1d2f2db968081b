/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside_sqlite.c - a shell of libsqlite3.a and an allocator that counts as
 * well
 *
 * A line of input is a statement, or ? for none. The answer is its rows, then
 * the allocator's totals so far: allocations, frees, and requested bytes. A
 * realloc is one of each, in place or not. The allocator reports to its own
 * hooks, so nothing lies between it and sqlite3. Linked with jemalloc
 * (WITH_jemalloc) or tcmalloc.
 */
#include <sqlite3.h>
#include <stdint.h>

#include "tests/recorder/victims/victim.h"

static struct {
    uint64_t allocations, frees, bytes;
} counts;

#ifdef WITH_jemalloc
#include <jemalloc/jemalloc.h>

/* Values of jemalloc's enum hook_alloc_e for calls whose size is not their
   first argument, or not that alone. Aligned calls do not occur here. */
enum { BY_MALLOC, BY_CALLOC = 3, BY_REALLOC = 7 };

static uint64_t held; /* bytes of all requests, as jemalloc rounds them up */
static uint64_t held_before;

static void see_size(uint64_t size)
{
    counts.allocations++;
    counts.bytes += size;
    held += nallocx(size == 0 ? 1 : size, 0);
}

static void see_new(void *context, int how, void *block, uintptr_t result,
                    uintptr_t asked[3])
{
    (void)context;
    REQUIRE((uintptr_t)block == result);
    if (how == BY_CALLOC)
        see_size(asked[0] * asked[1]);
    else if (how == BY_REALLOC)
        see_size(asked[1]);
    else
        see_size(asked[0]);
    REQUIRE(how == BY_MALLOC || how == BY_CALLOC || how == BY_REALLOC);
}

static void see_free(void *context, int how, void *block, uintptr_t asked[3])
{
    (void)context;
    (void)how;
    REQUIRE((uintptr_t)block == asked[0]);
    counts.frees++;
}

static void see_resized(void *context, int how, void *block, size_t before,
                        size_t now, uintptr_t result, uintptr_t asked[4])
{
    (void)before;
    (void)now;
    see_free(context, how, block, asked);
    REQUIRE((uintptr_t)block == result);
    see_size(asked[1]);
}

static uint64_t held_by_statistics(void)
{
    uint64_t bytes;
    size_t size = sizeof bytes;

    REQUIRE(mallctl("thread.allocated", &bytes, &size, NULL, 0) == 0);
    return bytes;
}

static void begin_counting(void)
{
    struct {
        void (*see_new)(void *, int, void *, uintptr_t, uintptr_t[3]);
        void (*see_free)(void *, int, void *, uintptr_t[3]);
        void (*see_resized)(void *, int, void *, size_t, size_t, uintptr_t,
                            uintptr_t[4]);
        void *context;
    } hooks = { see_new, see_free, see_resized, NULL };
    void *handle;
    size_t size = sizeof handle;

    held_before = held_by_statistics();
    REQUIRE(mallctl("experimental.hooks.install", &handle, &size, &hooks,
                    sizeof hooks) == 0);
}

/* Check that the allocator's statistics agree with its hooks. */
static void check_counts(void)
{
    REQUIRE(held_by_statistics() - held_before == held);
}
#else
#include <gperftools/malloc_hook_c.h>

static void see_new(const void *block, size_t size)
{
    counts.allocations += block != NULL;
    counts.bytes += block != NULL ? size : 0;
}

static void see_free(const void *block)
{
    counts.frees += block != NULL;
}

static void begin_counting(void)
{
    REQUIRE(MallocHook_AddNewHook(see_new));
    REQUIRE(MallocHook_AddDeleteHook(see_free));
}

static void check_counts(void)
{
}
#endif

static void say_number(uint64_t number, const char *end)
{
    char text[24] = "", *first = text + sizeof text - 1;

    do {
        *--first = (char)('0' + number % 10);
    } while ((number /= 10) != 0);
    victim_say(first);
    victim_say(end);
}

static int say_row(void *context, int columns, char **values, char **names)
{
    (void)context;
    (void)names;
    for (int i = 0; i < columns; i++) {
        victim_say(values[i]);
        victim_say(i + 1 < columns ? "|" : "\n");
    }
    return 0;
}

static size_t read_line(char *line, size_t room)
{
    size_t length = 0;

    while (length < room - 1 && read(STDIN_FILENO, line + length, 1) == 1 &&
           line[length] != '\n')
        length++;
    line[length] = '\0';
    return length;
}

int main(void)
{
    static char line[4096];
    sqlite3 *database;

    begin_counting();
    REQUIRE(sqlite3_open(":memory:", &database) == SQLITE_OK);
    while (read_line(line, sizeof line) != 0) {
        REQUIRE(line[0] == '?' ||
                sqlite3_exec(database, line, say_row, NULL, NULL) == SQLITE_OK);
        check_counts();
        say_number(counts.allocations, " ");
        say_number(counts.frees, " ");
        say_number(counts.bytes, "\n");
    }
    REQUIRE(sqlite3_close(database) == SQLITE_OK);
    return 0;
}
