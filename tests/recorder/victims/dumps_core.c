/* SPDX-License-Identifier: Apache-2.0 */
/* dumps_core.c - fill 64 MB of heap and crash */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

int main(void)
{
    for (int i = 0; i < 64000; i++)
        memset(victim_keep(malloc(1000)), i, 1000);
    *(volatile int *)victim_keep(NULL) = 1;
    return 0;
}
