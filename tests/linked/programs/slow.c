/* SPDX-License-Identifier: Apache-2.0 */
/* slow.c - what plugin.c needs; it can take its time to begin */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    if (getenv("TELLER_IS_SLOW") != NULL)
        usleep(500000);
}
