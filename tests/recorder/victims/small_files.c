/* SPDX-License-Identifier: Apache-2.0 */
/* small_files.c - ulimit -f: no file may grow, and no SIGXFSZ is sent */
#include <stdlib.h>
#include <sys/resource.h>

#include "tests/recorder/victims/victim.h"

static void *in_main(size_t size)
{
    return victim_keep(malloc(size));
}

int main(void)
{
    struct rlimit limit;

    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    REQUIRE(limit.rlim_cur == 1 << 20);
    for (size_t i = 0; i < 10000; i++)
        in_main(i);
    return 0;
}
