/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_names.h - what the regions and threads of a trace are called
 *
 * Threads, and regions that the program has given a name, have names in metadata,
 * a folder's or those that come in the stream; everything else, and threads that
 * are variables, in the program's ELF file. Names may be any bytes.
 */
#ifndef TALLY_TOOL_MODEL_TRACE_NAMES_H
#define TALLY_TOOL_MODEL_TRACE_NAMES_H

#include "tool/model/trace/trace.h"
#include "tool/symbols/object_names.h"

struct trace_names;

/*
 * `elf` is a path, or NULL: then the file that the metadata names, if it is older
 * than they. NULL on failure.
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

/* The ELF file; NULL when there is none. */
const struct object_names *trace_names_objects(const struct trace_names *names);

/* An address in memory as that file counts. */
uint64_t trace_names_file_address(const struct trace_names *names,
                                  uint64_t address);

#endif /* TALLY_TOOL_MODEL_TRACE_NAMES_H */
