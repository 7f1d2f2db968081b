/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_options.h - the options that say where names are found, the same for
 * each command
 *
 *     static const struct option_rule rules[] = {
 *         SYMBOL_RULES(struct diff_options, search), ...
 */
#ifndef TALLY_TOOL_COMMANDS_SYMBOL_OPTIONS_H
#define TALLY_TOOL_COMMANDS_SYMBOL_OPTIONS_H

#include "tool/commands/options/options.h"
#include "tool/symbols/symbols.h"

/* Into a struct symbols_search, which keeps the name of the folder. */
option_take_fn symbol_option_take;

#define SYMBOL_RULES(type, member)                                      \
    { "sysroot", 0, OPTION_TAKES(symbol_option_take, type, member) },   \
    {                                                                   \
        "debuginfod", 0, OPTION_CALLS(symbol_option_take, type, member) \
    }

#define SYMBOL_HELP                                                    \
    "  --sysroot=DIR    find programs and symbols below DIR: those of" \
    " another\n"                                                       \
    "                   machine\n"                                     \
    "  --debuginfod     ask the servers in DEBUGINFOD_URLS for symbols\n"

#endif /* TALLY_TOOL_COMMANDS_SYMBOL_OPTIONS_H */
