/* SPDX-License-Identifier: Apache-2.0 */
/* indirect_library.c - an IFUNC whose resolver allocates */
#include <stdlib.h>

int resolved_answer(void);
void *resolver_block(void);

static void *block;

static int answer(void)
{
    return 42;
}

__attribute__((used)) static int (*resolve(void))(void)
{
    block = malloc(123);
    free(malloc(45));
    return answer;
}

int resolved_answer(void) __attribute__((ifunc("resolve")));

void *resolver_block(void)
{
    return block;
}
