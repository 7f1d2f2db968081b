/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_names.h - what the regions and threads of a trace are called
 *
 * Threads, and regions that the program has given a name, have names in
 * metadata, a folder's or those that come in the stream; everything else, and
 * threads that are variables, in the program's ELF file. Names may be any
 * bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tool/model/trace/regions.h"
#include "tool/model/trace/trace.h"

struct trace_names;

/*
 * `elf` is a path, or NULL: then the file that the metadata names, if it is
 * older than they. NULL on failure.
 */
struct trace_names *trace_names_open(const struct trace *trace, const char *elf,
                                     struct source_failure *failure);
void trace_names_close(struct trace_names *names);

/*
 * The name of an event's region: of a stack that of its thread. NULL when none
 * is known. It lives until the next call.
 */
const char *trace_names_find(struct trace_names *names,
                             const struct zpl_event *event);

/* Likewise of a thread and of the variable at an address, or NULL. */
const char *trace_names_thread(struct trace_names *names, uint32_t thread);
const char *trace_names_object(struct trace_names *names, uint64_t address);

/*
 * Bytes of the sections that the program writes to, without the regions that
 * lie in them; 0 without its ELF file. What malloc shares out in Zephyr is all
 * that is left of the memory, and in no section.
 */
uint64_t static_memory(const struct trace_names *names,
                       const struct regions *regions);

/*
 * The program that wrote a trace, as its metadata name it, and the ledger of
 * the same run. All fields 0: nothing is known.
 */
struct trace_program {
    char *path; /* NULL: not said, gone, or built anew since then */
    /* Of this program or of one that is named elsewhere. */
    bool has_load_address;
    uint64_t load_address;
    uint64_t sample_interval; /* its calls are of samples, so far apart; or 0 */
    char *ledger; /* beside the trace, as tally record calls them; or NULL */
};

struct trace_program trace_program_find(const struct trace *trace);
void trace_program_close(struct trace_program *program);
