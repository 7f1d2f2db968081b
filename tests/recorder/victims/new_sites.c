/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_sites.c - 1,000 call sites of one file, each met once, between two
 * getsid(-1)
 *
 * The first hundred are met before, so that what comes but once has come.
 */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

#define ONE     victim_keep(malloc(40));
#define TEN     ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define HUNDREDS_9 \
    HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

int main(void)
{
    HUNDRED
    REQUIRE(getsid(-1) == -1);
    HUNDREDS_9
    REQUIRE(getsid(-1) == -1);
    return 0;
}
