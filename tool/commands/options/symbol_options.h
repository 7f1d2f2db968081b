/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_options.h - the options that say where names are found, and which
 * program wrote a trace, the same for each command
 *
 *     static const struct option_rule rules[] = {
 *         SYMBOL_RULES(struct report_options, search),
 *         ELF_RULES(struct report_options, elf), ...
 */
#ifndef TALLY_TOOL_COMMANDS_SYMBOL_OPTIONS_H
#define TALLY_TOOL_COMMANDS_SYMBOL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/commands/options/options.h"
#include "tool/model/trace/caller_modules.h"
#include "tool/model/trace/trace_names.h"
#include "tool/symbols/symbols.h"

/* Into a struct symbols_search, which keeps the name of the folder. */
option_take_fn symbol_option_take;

#define SYMBOL_RULES(type, member)                                      \
    { "sysroot", 0, OPTION_TAKES(symbol_option_take, type, member) },   \
    {                                                                   \
        "debuginfod", 0, OPTION_CALLS(symbol_option_take, type, member) \
    }

/* Which program wrote a trace. */
struct elf_option {
    const char *path; /* of a program or a ledger; NULL: not named */
    bool has_load_address;
    uint64_t load_address;
};

option_take_fn elf_option_take_load_address;
option_take_fn elf_option_take_metadata;

/* What the streams of all traces hold. */
#define METADATA_RULE                                               \
    {                                                               \
        "metadata", 0, OPTION_TAKES_WHOLE(elf_option_take_metadata) \
    }
#define ELF_RULES(type, member)                                      \
    METADATA_RULE, { "elf", 0, OPTION_NAMES(type, member.path) },    \
    {                                                                \
        "load-address", 0,                                           \
            OPTION_TAKES(elf_option_take_load_address, type, member) \
    }

/* The program's file; NULL: none is named, or a ledger, which knows no
   variables. */
const char *elf_option_program(const struct elf_option *elf);

/*
 * Add the program that is named, or else the ledger beside the trace, or the
 * program that the trace names; what is not said of where it was loaded, the
 * trace may say. COMMAND_DONE, also without a program, or COMMAND_USAGE after a
 * complaint.
 */
int elf_option_add(const struct elf_option *elf,
                   const struct trace_program *program,
                   struct caller_modules *modules);

#endif /* TALLY_TOOL_COMMANDS_SYMBOL_OPTIONS_H */
