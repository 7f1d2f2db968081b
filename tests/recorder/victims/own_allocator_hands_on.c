/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_allocator_hands_on.c - malloc defined in the executable, which calls the
 * next malloc
 *
 * The next one is the recorder's. A jump in the executable's malloc has led to
 * the recorder before. Each call counts once, for the first caller.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

#define NEXT(type, name, parameters, arguments)                \
    type name parameters                                       \
    {                                                          \
        static type(*next) parameters;                         \
                                                               \
        if (next == NULL)                                      \
            *(void **)(void *)&next = dlsym(RTLD_NEXT, #name); \
        return next arguments;                                 \
    }

NEXT(void *, malloc, (size_t size), (size))
NEXT(void *, calloc, (size_t count, size_t size), (count, size))
NEXT(void *, realloc, (void *block, size_t size), (block, size))
NEXT(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))

void free(void *block)
{
    static void (*next)(void *block);

    if (next == NULL)
        *(void **)(void *)&next = dlsym(RTLD_NEXT, "free");
    next(block);
}

static void ask(void)
{
    for (int i = 0; i < 100; i++) {
        char *block = victim_keep(malloc(100));

        block = victim_keep(realloc(block, 200));
        free(block);
        free(victim_keep(calloc(10, 10)));
        victim_keep(aligned_alloc(64, 64));
    }
}

int main(void)
{
    ask();
    victim_say("done\n");
    return 0;
}
