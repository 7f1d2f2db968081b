/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - what all commands say in the same words */
#include "tool/commands/options/command.h"

#include <stdio.h>

#include "format/ledger/ledger_layout.h"

int command_version(void)
{
    printf("tally %s (ledger format %d.%d)\n", TALLY_VERSION, LEDGER_MAJOR,
           LEDGER_MINOR);
    return COMMAND_DONE;
}
