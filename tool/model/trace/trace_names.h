/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_names.h - names of the regions and threads of a trace
 *
 * Threads and regions that the program has named are in the metadata of the
 * folder or the stream; others, and threads that are variables, in the
 * program's ELF file. Names may be any bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tool/model/trace/regions.h"
#include "tool/model/trace/trace.h"

struct trace_names;

/* Open names by the ELF file `elf`; NULL: the file that the metadata names,
   unless it is newer. Return NULL on failure. */
struct trace_names *trace_names_open(const struct trace *trace, const char *elf,
                                     struct source_failure *failure);
void trace_names_close(struct trace_names *names);

/* Return the name of an event's region (of a stack: its thread) until the next
   call, or NULL. */
const char *trace_names_find(struct trace_names *names,
                             const struct zpl_event *event);

/* Return the name of a thread, or of the variable at an address, or NULL. */
const char *trace_names_thread(struct trace_names *names, uint32_t thread);
const char *trace_names_object(struct trace_names *names, uint64_t address);

/* Return the bytes of writable sections without regions in them; 0 without an
   ELF file. Zephyr's malloc heap is the rest of memory, in no section. */
uint64_t static_memory(const struct trace_names *names,
                       const struct regions *regions);

/* Program that wrote a trace, by its metadata, and the ledger of the same run;
   { 0 } if unknown. */
struct trace_program {
    char *path; /* NULL: unknown, missing, or rebuilt since */
    /* Load address of this program, or of another that the user names. */
    bool has_load_address;
    uint64_t load_address;
    uint64_t sample_interval; /* bytes between samples; 0: all calls */
    char *ledger; /* path beside the trace, as tally record writes it; or
                     NULL */
};

struct trace_program trace_program_find(const struct trace *trace);
void trace_program_close(struct trace_program *program);
