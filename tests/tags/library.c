/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.c - a program and a shared library that it is linked with, both
 * hooked
 *
 * Each has its own rows, also what they took in constructors that ran before
 * Tally's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tags/rows.h"

#define LIBRARY "tests/tags/library_library.c"

void *library_take(size_t size);
void library_give(void *block);

static void *early;

__attribute__((constructor(101))) static void construct(void)
{
    early = library_take(5);
}

static int is_of_the_library(struct alloc_tag *tag, void *context)
{
    (void)context;
    if (strcmp(tag->file, LIBRARY) == 0)
        return tag->modname == NULL || strcmp(tag->modname, "liblibrary") != 0;
    return tag->modname != NULL && (tag->flags & ALLOC_TAG_OWN) == 0;
}

static void at_exit(void)
{
    free(early);
    rows_expect(LIBRARY, __LINE__, 12, 21, 1);
    rows_expect(LIBRARY, __LINE__, 22, 0, 0);
}

int main(void)
{
    void *ours = malloc(8), *theirs = library_take(7);

    ROW(0, 0);
    EXPECT_FILE(8, 1);
    EXPECT(alloc_tag_for_each(is_of_the_library, NULL) == 0);
    rows_expect(LIBRARY, __LINE__, 12, 21, 1);
    rows_expect(LIBRARY, __LINE__, 22, 12, 2);
    library_give(ours);
    free(theirs);
    EXPECT_FILE(0, 0);
    rows_expect(LIBRARY, __LINE__, 22, 5, 1);
    return atexit(at_exit);
}
