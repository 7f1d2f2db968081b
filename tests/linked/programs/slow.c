/* SPDX-License-Identifier: Apache-2.0 */
/* slow.c - a dependency of plugin.c, which can be slow to initialize */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    if (getenv("TELLER_IS_SLOW") != NULL)
        usleep(500000);
}
