/* SPDX-License-Identifier: Apache-2.0 */
/* library_library.c - allocates in its constructor and for its users */
#include <stdlib.h>

void *library_take(size_t size);
void library_give(void *block);

static void *early;

__attribute__((constructor(101))) static void construct(void)
{
    early = malloc(21);
}

__attribute__((destructor)) static void destruct(void)
{
    free(early);
}

void *library_take(size_t size)
{
    return malloc(size);
}

void library_give(void *block)
{
    free(block);
}
