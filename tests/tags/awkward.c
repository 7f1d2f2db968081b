/* SPDX-License-Identifier: Apache-2.0 */
/*
 * awkward.c - uses of the functions' names in programs
 *
 * Tables of functions, members, parameters and variables with these names,
 * their addresses in initializers, macros over them, calls in every kind of
 * statement.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tags/rows.h"

extern void *malloc();

struct allocator {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *block, size_t size);
    char *(*strdup)(const char *text);
    void (*free)(void *block);
};

struct node {
    int free, malloc;
    char *strdup;
};

static struct allocator by_place = { malloc, calloc, realloc, strdup, free };
static const struct allocator by_name = {
    .malloc = &malloc,
    .calloc = calloc,
    .realloc = realloc,
    .strdup = &strdup,
    .free = &free,
};
static void *before_main;

#define NEW(type)  ((type *)malloc(sizeof(type)))
#define xmalloc(n) malloc(n)
#define my_free    free

__attribute__((constructor(102))) static void construct(void)
{
    before_main = malloc(11);
}

static int free_slots(int free)
{
    return free + 1;
}

static void call(void (*free)(void *), void *block)
{
    free(block);
}

/* At -O0 gcc's &malloc takes the tag that a member's name leaves. */
#if defined __clang__ || defined __OPTIMIZE__
#define CALLED_AS_MEMBER(count) 0
#else
#define CALLED_AS_MEMBER(count) count
#endif

/* libc's functions, by their addresses: counted only if called through a member
   of their name, freed correctly. */
static void tables(void)
{
    const struct allocator *h = &by_place;
    void *block = h->malloc(5);
    ROW(CALLED_AS_MEMBER(5), CALLED_AS_MEMBER(1));
    h->free(block);
    block = (*h->malloc)(6);
    (h->free)(block);
    block = by_name.calloc(1, 2);
    block = by_name.realloc(block, 4);
    call(free, block);
    block = by_name.strdup("text");
    call(&free, block);
    by_name.free(h->realloc(NULL, 3));
    EXPECT_FILE(11, 1);
    EXPECT(by_place.free == by_name.free && by_place.malloc == malloc);
    block = malloc(12);
    ROW(12, 1);
    block = h->realloc(block, 13);
    EXPECT_LINE(__LINE__ - 3, 0, 0);
    h->free(block);
    EXPECT_FILE(11, 1);
}

static void names(void)
{
    struct node *node = NEW(struct node);
    void *block;

    ROW(0, 0);
    EXPECT_LINE(__LINE__ - 4, sizeof *node, 1);
    node->free = 1;
    node->malloc = free_slots(node->free);
    node->strdup = strdup("member");
    ROW(7, 1);
    my_free(node->strdup);
    block = node->malloc == 2 ? xmalloc(8) : NULL;
    ROW(8, 1);
    my_free(block);
    free(node);
    {
        int free = 3;

        EXPECT(free_slots(free) == 4);
    }
    EXPECT(sizeof malloc(1) == sizeof(void *));
    EXPECT_FILE(11, 1);
}

static void statements(void)
{
    void *both[2] = { malloc(1), malloc(2) };
    char *text, *again;
    jmp_buf place;
    void *volatile kept = NULL;

    ROW(0, 0);
    EXPECT_LINE(__LINE__ - 6, 3, 2);
    free(both[0]), free(both[1]);
    for (char *c = malloc(3), *end = c + 3; c != NULL; c = NULL)
        free(end - 3);
    if ((text = strdup(again = strdup("nested"))) == NULL)
        abort();
    else
        free(again);
    ROW(0, 0);
    EXPECT_LINE(__LINE__ - 5, 7, 1);
    free(text);
    text = malloc(((void)10, 20));
    ROW(20, 1);
    free(text);
    text = malloc(sizeof(int[3]) + strlen("a,b"));
    ROW(15, 1);
    free(text);
    if (setjmp(place) == 0) {
        kept = malloc(9);
        longjmp(place, 1);
    }
    EXPECT_LINE(__LINE__ - 3, 9, 1);
    free(kept);
    do
        text = realloc(malloc(4), 5);
    while (text == NULL);
    EXPECT_LINE(__LINE__ - 2, 5, 1);
    free(text);
}

static void sizes(void)
{
    volatile size_t most = (size_t)-1; /* not known to the compiler */
    int count = 3;
    char(*rows)[count] = calloc(2, sizeof *rows);

    ROW(0, 0);
    EXPECT_LINE(__LINE__ - 3, 6, 1);
    free(rows);
    free(malloc(0));
    EXPECT(malloc(most / 2) == NULL);
    EXPECT(calloc(most, 2) == NULL);
    EXPECT_FILE(11, 1);
}

int main(void)
{
    EXPECT_FILE(11, 1);
    tables();
    names();
    statements();
    sizes();
    free(before_main);
    EXPECT_FILE(0, 0);
    return 0;
}
