/* SPDX-License-Identifier: Apache-2.0 */
/* symbol_options.c - see symbol_options.h */
#include "tool/commands/options/symbol_options.h"

#include <sys/stat.h>

#include "tool/commands/options/complaint.h"

int symbol_option_take(const char *name, const char *value, void *field)
{
    struct symbols_search *search = field;
    struct stat status;

    (void)name;
    if (value == NULL) {
        search->network = SYMBOLS_DEBUGINFOD;
        return COMMAND_GO_ON;
    }
    if (stat(value, &status) != 0 || !S_ISDIR(status.st_mode))
        return complain(
            value, "there is no such folder",
            "give --sysroot one that the machine's files are below");
    search->sysroot = value;
    return COMMAND_GO_ON;
}
