/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_program.h - the program that wrote a trace, as its metadata name it
 */
#ifndef TALLY_TOOL_MODEL_TRACE_PROGRAM_H
#define TALLY_TOOL_MODEL_TRACE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/model/trace.h"

/* All fields 0: nothing is known. */
struct trace_program {
    char *path; /* NULL: not said, gone, or built anew since then */
    bool
        has_load_address; /* of this program or of one that is named elsewhere */
    uint64_t load_address;
};

/* Without memory there is no path. */
struct trace_program trace_program_find(const struct trace *trace);
void trace_program_close(struct trace_program *program);

#endif /* TALLY_TOOL_MODEL_TRACE_PROGRAM_H */
