/* SPDX-License-Identifier: Apache-2.0 */
/* says_hello.c - also linked statically, and made privileged, by scenarios */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

int main(void)
{
    victim_keep(malloc(10));
    victim_say("hello\n");
    return 3;
}
