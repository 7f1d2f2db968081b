/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - what all commands say in the same words */
#include "tool/commands/command.h"

#include <getopt.h>
#include <stdio.h>

#include "format/ledger_layout.h"

int command_version(void)
{
    printf("tally %s (ledger format %d.%d)\n", TALLY_VERSION, LEDGER_MAJOR,
           LEDGER_MINOR);
    return COMMAND_DONE;
}

int command_bad_option(const char *name, int result, char **argv)
{
    const char *why = result == ':' ? "needs a value" : "is unknown";

    if (optopt > 0 && optopt < 256)
        fprintf(stderr, "tally: %s: option -%c %s; see tally %s --help\n", name,
                optopt, why, name);
    else
        fprintf(stderr, "tally: %s: option %s %s; see tally %s --help\n", name,
                argv[optind - 1], why, name);
    return COMMAND_USAGE;
}
