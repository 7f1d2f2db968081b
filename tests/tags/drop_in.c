/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drop_in.c - an unchanged program after -include tally/malloc.h
 *
 * It chooses its features itself, has members and variables with the names of
 * the functions, and calls inside arguments.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#include "tests/tags/rows.h"

struct hooks {
    void *(*malloc)(struct hooks *hooks, int size);
    void *(*realloc)(void *context, void *block, size_t size, int flags);
    void (*free)(void *block);
};

struct bits {
    unsigned size : 5;
};

/* Compilers give no warnings beyond those for plain malloc(). */
inline void *of_a_header(size_t size)
{
    return malloc(size);
}

extern inline void *of_a_header(size_t size);

static void *hooks_malloc(struct hooks *hooks, int size)
{
    (void)hooks;
    return malloc((size_t)size);
}

static void *hooks_realloc(void *context, void *block, size_t size, int flags)
{
    (void)context;
    (void)size;
    (void)flags;
    return block;
}

static size_t give_back(void *block, size_t result)
{
    free(block);
    return result;
}

static void the_family(void)
{
    volatile size_t most = SIZE_MAX; /* not known to the compiler */
    void *block, *moved;

    block = malloc(100);
    ROW(100, 1);
    free(block);
    block = calloc(7, 3);
    ROW(21, 1);
    free(block);
    block = aligned_alloc(64, 192);
    ROW(192, 1);
    EXPECT((uintptr_t)block % 64 == 0);
    free(block);
    EXPECT(posix_memalign(&block, 128, 77) == 0);
    ROW(77, 1);
    EXPECT((uintptr_t)block % 128 == 0);
    free(block);
    block = memalign(256, 9);
    ROW(9, 1);
    EXPECT((uintptr_t)block % 256 == 0);
    free(block);
    block = valloc(10);
    ROW(10, 1);
    EXPECT((uintptr_t)block % 4096 == 0);
    free(block);
    block = reallocarray(NULL, 5, 6);
    ROW(30, 1);
    moved = realloc(block, 100000);
    ROW(100000, 1);
    EXPECT_FILE(100000, 1);
    free(moved);
    errno = 0;
    EXPECT(reallocarray(NULL, most, 2) == NULL);
    EXPECT(errno == ENOMEM);
    EXPECT_FILE(0, 0);
}

static void text(void)
{
    char *one, *two, *three, *line = NULL;
    size_t size = 0;
    FILE *file = fopen("lines", "w+");

    one = strdup("twelve bytes");
    ROW(13, 1);
    two = strndup("twelve bytes", 5);
    ROW(6, 1);
    EXPECT(strcmp(two, "twelv") == 0);
    EXPECT(asprintf(&three, "%s %d", "seven", 7) == 7);
    ROW(8, 1);
    EXPECT(strcmp(three, "seven 7") == 0);
    EXPECT(file != NULL);
    fprintf(file, "short\n%0300d:%d\nlast", 1, 2);
    rewind(file);
    EXPECT(getline(&line, &size, file) == 6);
    ROW(120, 1);
    EXPECT(strcmp(line, "short\n") == 0 && size == 120);
    EXPECT(getdelim(&line, &size, ':', file) == 301);
    ROW(480, 1);
    EXPECT(strlen(line) == 301 && size == 480);
    EXPECT(getline(&line, &size, file) == 2);
    EXPECT(getline(&line, &size, file) == 4);
    EXPECT(strcmp(line, "last") == 0);
    EXPECT(getline(&line, &size, file) == -1);
    fclose(file);
    free(one);
    free(two);
    free(three);
    free(line);
    EXPECT_FILE(0, 0);
}

static void names(void)
{
    struct hooks hooks = { hooks_malloc, hooks_realloc, free };
    void *(*pointer)(size_t) = &malloc;
    void (*to_free)(void *) = &free;
    struct bits bits = { 9 };
    void *block;

    block = hooks.malloc(&hooks, 5);
    ROW(0, 0);
    EXPECT_FILE(5, 1);
    EXPECT(hooks.realloc(&hooks, block, 1, 2) == block);
    hooks.free(block);
    EXPECT_FILE(0, 0);
    block = malloc(bits.size);
    ROW(9, 1);
    to_free(block);
    EXPECT_FILE(0, 0);
    block = pointer(5); /* not counted */
    EXPECT_FILE(0, 0);
    free(block);
    {
        void *(*malloc)(size_t) = pointer;

        block = malloc(3);
        free(block);
    }
    free(NULL);
    EXPECT_FILE(0, 0);
}

static void calls_in_arguments(void)
{
    void *block = malloc(give_back(malloc(1), 50));
    ROW(50, 1);
    void *other = calloc(give_back(malloc(2), 3), give_back(malloc(4), 5));
    void *moved;

    EXPECT_LINE(__LINE__ - 3, 15, 1);
    moved = realloc(realloc(malloc(6), give_back(calloc(1, 7), 8)),
                    give_back(strdup("x"), 100000));
    EXPECT_FILE(50 + 15 + 100000, 3);
    free(block);
    free(other);
    free(moved);
    EXPECT_FILE(0, 0);
}

static void features(void)
{
    char buffer[100];
    cpu_set_t set;

    /* All of them are GNU's. */
    CPU_ZERO(&set);
    EXPECT(strerror_r(ENOENT, buffer, sizeof buffer)[0] != '\0');
    EXPECT(strcmp(basename("/a/b"), "b") == 0);
    EXPECT(strchrnul("ab", 'c')[0] == '\0');
    EXPECT(memrchr("aba", 'a', 3) != NULL);
    EXPECT((O_PATH | O_TMPFILE) != 0);
}

int main(void)
{
    the_family();
    text();
    names();
    calls_in_arguments();
    features();
    return 0;
}
