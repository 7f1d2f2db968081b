/* SPDX-License-Identifier: Apache-2.0 */
/* strdup_family.c - libc functions that allocate for their caller */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

int main(void)
{
    char *copies[4];

    copies[0] = victim_keep(strdup("twelve bytes"));     /* 13 */
    copies[1] = victim_keep(strndup("twelve bytes", 6)); /* 7 */
    copies[2] = victim_keep(strdup(""));                 /* 1 */
    copies[3] = victim_keep(strndup("short", 100));      /* 6 */
    for (int i = 0; i < 4; i++)
        REQUIRE(copies[i] != NULL);
    free(copies[0]);
    return 0;
}
