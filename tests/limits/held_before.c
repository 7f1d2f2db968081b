/* SPDX-License-Identifier: Apache-2.0 */
/* held_before.c - a global limit includes bytes live before it was set */
#include <stdint.h>
#include <stdlib.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

enum { BLOCKS = 1000, SIZE = 100000 };

static void *blocks[BLOCKS];

static bool can_allocate(size_t size)
{
    void *volatile block = malloc(size);

    free(block);
    return block != NULL;
}

int main(void)
{
    const int64_t held = (int64_t)BLOCKS * SIZE;
    struct limit_scope scope;

    for (size_t i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(SIZE);
    limits_set_global(held);
    expect("begin", "it is counted",
           limits_begin_global(&scope, LIMIT_ENOMEM) == 0);
    expect("held", "is more than the limit", !can_allocate(1));
    expect("held", "hits", limits_end(&scope, NULL) == 1);
    limits_set_global(held + held / 2);
    limits_begin_global(&scope, LIMIT_ENOMEM);
    expect("held", "is less than half as much again", can_allocate(SIZE));
    expect("held", "leaves no more than that", !can_allocate(held / 2));
    expect("held", "hits again", limits_end(&scope, NULL) == 1);
    for (size_t i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    limits_set_global(SIZE * (BLOCKS / 10));
    limits_begin_global(&scope, LIMIT_ENOMEM);
    expect("held", "is given back", can_allocate(SIZE));
    expect("held", "is not hit", limits_end(&scope, NULL) == 0);
    return expect_status();
}
