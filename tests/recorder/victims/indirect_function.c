/* SPDX-License-Identifier: Apache-2.0 */
/*
 * indirect_function.c - a resolver that allocates while the loader relocates
 *
 * The IFUNC resolver of a library runs before the recorder can: the recorder is
 * loaded earlier, and so relocated later.
 */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

int resolved_answer(void);
void *resolver_block(void);

int main(void)
{
    REQUIRE(resolved_answer() == 42);
    REQUIRE(resolver_block() != NULL);
    free(resolver_block());
    victim_keep(malloc(10));
    return 0;
}
