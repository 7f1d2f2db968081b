/* SPDX-License-Identifier: Apache-2.0 */
/* becomes_nobody.c - gives up root for good and becomes another program */
#include <grp.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { NOBODY = 65534 };

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    victim_keep(malloc(10));
    REQUIRE(setgroups(0, NULL) == 0);
    REQUIRE(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    execv(argv[1], argv + 1);
    victim_fail("execv failed\n");
}
