/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_program.h - the program that wrote a trace, as its metadata name it, and
 * the ledger of the same run
 */
#ifndef TALLY_TOOL_MODEL_TRACE_PROGRAM_H
#define TALLY_TOOL_MODEL_TRACE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/model/trace/trace.h"

/* All fields 0: nothing is known. */
struct trace_program {
    char *path; /* NULL: not said, gone, or built anew since then */
    bool
        has_load_address; /* of this program or of one that is named elsewhere */
    uint64_t load_address;
    uint64_t sample_interval; /* its calls are of samples, so far apart; or 0 */
    char *ledger; /* beside the trace, as tally record calls them; or NULL */
};

/* Without memory there are no paths. */
struct trace_program trace_program_find(const struct trace *trace);
void trace_program_close(struct trace_program *program);

#endif /* TALLY_TOOL_MODEL_TRACE_PROGRAM_H */
