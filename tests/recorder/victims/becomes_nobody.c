/* SPDX-License-Identifier: Apache-2.0 */
/* becomes_nobody.c - give up root for good, then exec another program */
#include <grp.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { UNPRIVILEGED = 65534 };

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    victim_keep(malloc(10));
    REQUIRE(setgroups(0, NULL) == 0);
    REQUIRE(setgid(UNPRIVILEGED) == 0 && setuid(UNPRIVILEGED) == 0);
    execv(argv[1], argv + 1);
    victim_fail("execv failed\n");
}
