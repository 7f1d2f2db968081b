/* SPDX-License-Identifier: Apache-2.0 */
/*
 * before_libc.c - a library that allocates before libc has read the environment
 */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

void *library_block(void);

static void *request(void)
{
    return victim_keep(malloc(10));
}

int main(void)
{
    free(library_block());
    request();
    return 0;
}
