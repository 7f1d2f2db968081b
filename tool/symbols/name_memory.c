/* SPDX-License-Identifier: Apache-2.0 */
/* name_memory.c - see name_memory.h */
#include "tool/symbols/name_memory.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local unsigned depth;

void name_memory_is_needed(bool is_needed)
{
    depth += is_needed ? 1 : -1U;
}

/* A sanitizer's own have to be the first, and end the program as well. */
#ifndef TALLY_SANITIZED
static void *block_or_end(void *block, bool is_asked)
{
    if (block != NULL || !is_asked)
        return block;
    depth = 0;
    fputs("tally: there is not enough memory for names; free some and try "
          "again\n",
          stderr);
    exit(2);
}

/* The next is looked up when it is needed: libraries ask before ours runs.
   Mostly it is called last, and sees our caller as its own. */
#define NEXT(function, parameters, arguments, is_asked)              \
    __attribute__((visibility("default"))) void *function parameters \
    {                                                                \
        static void *(*next)parameters;                              \
                                                                     \
        if (next == NULL)                                            \
            *(void **)(void *)&next = dlsym(RTLD_NEXT, #function);   \
        return depth > 0 ? block_or_end(next arguments, is_asked)    \
                         : next arguments;                           \
    }

NEXT(malloc, (size_t size), (size), size != 0)
NEXT(calloc, (size_t count, size_t size), (count, size),
     count != 0 && size != 0)
NEXT(realloc, (void *block, size_t size), (block, size), size != 0)
#endif
