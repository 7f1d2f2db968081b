/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_sites.c - 1,000 call sites of one file, each used once, between two calls
 * of getsid(-1)
 *
 * The first hundred run before, so that one-time work is done by then.
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
