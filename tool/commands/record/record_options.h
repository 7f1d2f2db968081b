/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_options.h - what `tally record` is asked for
 */
#ifndef TALLY_TOOL_COMMANDS_RECORD_OPTIONS_H
#define TALLY_TOOL_COMMANDS_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/session/find/session_file.h"

#define RECORD_WAIT_ALL UINT64_MAX

struct record_options {
    const char *output; /* NULL: PROGRAM.PID.tally */
    struct session_settings settings;
    unsigned stacks;           /* private: the word of --stacks */
    const char *sample_option; /* private: the last one of samples, or NULL */
    const char *trace_text;    /* --trace=FILE */
    const char
        *trace_folder; /* --events=FOLDER; NULL: named after the ledger */
    bool has_events;   /* --events */
    uint64_t wait;     /* seconds for others after the program's end */
    bool is_quiet;
    char **program; /* argv of the program */
};

/* COMMAND_GO_ON, or how the command ends. */
int record_options_parse(int argc, char **argv, struct record_options *options);

#endif /* TALLY_TOOL_COMMANDS_RECORD_OPTIONS_H */
