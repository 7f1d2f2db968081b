/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.c - one memory problem for each argument, and a program without any
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "victim.h"

#define OWN __attribute__((noinline))

enum { KIB = 1024, MIB = 1024 * 1024 };

static void *volatile sink;

static void pause_ms(long ms)
{
    const struct timespec time = { .tv_nsec = ms * 1000000 };

    nanosleep(&time, NULL);
}

OWN static void *xmalloc(size_t size)
{
    void *block = malloc(size);

    REQUIRE(block != NULL);
    return block;
}

OWN static void open_session(void)
{
    sink = memset(xmalloc(KIB), 1, KIB);
}

static void leak(void)
{
    for (int i = 0; i < 300; i++)
        open_session();
}

OWN static void open_file(void)
{
    sink = memset(xmalloc(2 * KIB), 1, 2 * KIB);
}

static void leaks(void)
{
    for (int i = 0; i < 300; i++) {
        open_session();
        open_file();
    }
}

/* Work, with leaks of a number of blocks in each of 60 rounds. */
static void work(int leaked)
{
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < 50; i++)
            free(memset(xmalloc(20000), 1, 20000));
        for (int i = 0; i < leaked; i++)
            open_session();
        pause_ms(20);
    }
}

static void steady(void)
{
    work(10);
}

/* Hold memory of the start to the end. */
static void setup(void)
{
    leak();
    work(0);
}

/* Hold twelve blocks, each from another call. */
OWN static void once(void)
{
#define HOLD() sink = memset(xmalloc(10 * KIB), 1, 10 * KIB)
    HOLD(), HOLD(), HOLD(), HOLD(), HOLD(), HOLD();
    HOLD(), HOLD(), HOLD(), HOLD(), HOLD(), HOLD();
}

/* Hold a block of each of 40 stacks to the end. */
OWN static void hold_state(int depth)
{
    static void *state[40];

    state[depth] = xmalloc(100);
    if (depth > 0)
        hold_state(depth - 1);
    sink = state[depth];
}

static void kept(void)
{
    hold_state(39);
    leak();
}

static void kept_steady(void)
{
    hold_state(39);
    work(10);
}

struct entry {
    struct entry *next;
    char text[4000];
};

OWN static struct entry *cache_entry(struct entry *next)
{
    struct entry *entry = xmalloc(sizeof *entry);

    memset(entry, 1, sizeof *entry);
    entry->next = next;
    return entry;
}

/* Grow, then free everything: nothing leaks. */
static void growth(void)
{
    struct entry *first = NULL;

    for (int i = 0; i < 600; i++) {
        first = cache_entry(first);
        if (i % 10 == 0)
            pause_ms(50);
    }
    while (first != NULL) {
        struct entry *next = first->next;

        free(first);
        first = next;
    }
}

/* Begin to grow a third of the way. */
static void late(void)
{
    pause_ms(900);
    growth();
}

OWN static char *sort_all(void)
{
    return memset(xmalloc(8 * MIB), 1, 8 * MIB);
}

static void spike(void)
{
    char *usual = memset(xmalloc(MIB), 1, MIB), *much;

    pause_ms(500);
    much = sort_all();
    pause_ms(100);
    free(much);
    pause_ms(900);
    free(usual);
}

OWN static char *format_line(int i)
{
    char *line = xmalloc(100);

    line[0] = (char)i;
    return line;
}

static void churn(void)
{
    for (int i = 0; i < 20000; i++) {
        char *line = format_line(i);

        sink = line;
        free(line);
    }
}

/* Hold three lines at once. */
static void flight(void)
{
    char *lines[3] = { NULL };

    for (int i = 0; i < 20000; i++) {
        free(lines[i % 3]);
        lines[i % 3] = format_line(i);
        if (i % 500 == 0)
            pause_ms(80);
    }
    for (int i = 0; i < 3; i++)
        free(lines[i]);
}

OWN static char *append(char *text, size_t size)
{
    text = realloc(text, size);
    REQUIRE(text != NULL);
    text[size - 1] = 1;
    return text;
}

static void reallocs(void)
{
    char *text = NULL;

    for (size_t i = 1; i <= 2000; i++)
        text = append(text, i * 64);
    free(text);
}

OWN static void **tree_node(void **next)
{
    void **node = xmalloc(24);

    *node = next;
    return node;
}

static void small(void)
{
    void **first = NULL;

    for (int i = 0; i < 60000; i++)
        first = tree_node(first);
    while (first != NULL) {
        void **next = *first;

        free(first);
        first = next;
    }
}

OWN static char *page_piece(void)
{
    return memset(xmalloc(1000), 1, 1000);
}

/* Keep the last of each 8 blocks: each pins its page. */
static void slack(void)
{
    static char *pieces[16000];

    for (int i = 0; i < 16000; i++)
        pieces[i] = page_piece();
    for (int i = 0; i < 16000; i++) {
        if (i % 8 != 7)
            free(pieces[i]);
    }
    pause_ms(700);
    for (int i = 7; i < 16000; i += 8)
        free(pieces[i]);
}

OWN static char *buffer(void)
{
    return xmalloc(100 * KIB);
}

static void untouched(void)
{
    char *buffers[100];

    for (int i = 0; i < 100; i++)
        (buffers[i] = buffer())[0] = 1;
    pause_ms(700); /* memory counts as untouched after a second */
    pause_ms(700);
    for (int i = 0; i < 100; i++)
        free(buffers[i]);
}

/* Do a little of everything, like ordinary programs. */
static void clean(void)
{
    char *usual[64] = { NULL }, *text = NULL;

    for (size_t size = 16; size < MIB / 2; size += size / 8)
        text = append(text, size);
    for (int i = 0; i < 2000; i++)
        text = append(text, MIB / 2 - (size_t)i); /* shrinks */
    free(text);

    for (int i = 0; i < 5000; i++) {
        char **one = &usual[i * 7 % 64];

        free(*one);
        *one = memset(xmalloc(20000), 1, 20000);
        if (i % 100 == 0)
            pause_ms(20);
    }
    for (int i = 0; i < 64; i++)
        free(usual[i]);
    sink = malloc(1000); /* a global that is live until the end */
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*run)(void);
    } parts[] = {
        { "leak", leak },
        { "leaks", leaks },
        { "growth", growth },
        { "late", late },
        { "spike", spike },
        { "churn", churn },
        { "flight", flight },
        { "small", small },
        { "slack", slack },
        { "realloc", reallocs },
        { "untouched", untouched },
        { "clean", clean },
        { "steady", steady },
        { "setup", setup },
        { "once", once },
        { "kept", kept },
        { "kept_steady", kept_steady },
    };

    REQUIRE(argc == 2);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(argv[1], parts[i].word) == 0) {
            parts[i].run();
            return 0;
        }
    }
    return 1;
}
