/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_figures.h - regions, names and sums of a trace
 */
#pragma once

#include "tool/model/calls/calls.h"
#include "tool/model/trace/trace_reader.h"

/*
 * Usage of stacks, heaps and slabs in a trace over time
 *
 * A region is identified by its kind and address. It takes a few kilobytes for
 * any number of events: its line has at most REGION_POINTS points, each the
 * highest usage until the next one.
 *
 *     regions_add(&regions, &event);
 *     ...
 *     regions_finish(&regions);
 */

enum {
    REGION_POINTS = 256,
    REGION_LIMIT = 16384, /* regions; events of further ones are counted in
                             left_out */
};

/* Position of an event: nanoseconds of the writer's clock or, in a trace
   without times, the number of the region's event, from 0. */
typedef uint64_t region_place;

struct region_point {
    region_place place;
    uint64_t used;
};

enum region_trend {
    REGION_STEADY,
    REGION_RISING,
    REGION_FALLING,
};

struct region {
    uint64_t address;
    uint8_t kind;    /* enum zpl_memory_region */
    uint32_t thread; /* of a stack; else 0 */
    char *name;      /* any bytes; NULL unknown */
    uint64_t size;   /* highest sum of used and unused bytes */
    uint64_t used;   /* bytes at the end */
    uint64_t peak;
    region_place peak_place; /* first place with the peak */
    uint64_t events;
    struct region_point *points;
    size_t point_count;
    uint64_t stride; /* events for each point but the last */

    /* Least-squares line: bytes for each unit of place. */
    double slope;
    enum region_trend trend;

    /* Private: sums of squares about the means. */
    double mean_place, mean_used, sum_place, sum_used, sum_both;
};

struct regions {
    struct region *items; /* sorted by kind and address when finished */
    size_t count;
    uint64_t events;
    uint64_t left_out; /* events of regions beyond REGION_LIMIT */
    bool has_times;
    region_place first, last; /* of all events */

    struct index_table index; /* private: of `items` */
};

void regions_add(struct regions *regions, const struct zpl_event *event);

/* Compare by kind and address, for qsort(). */
int regions_compare(const void *left, const void *right);

/* Sort, and work out trends, after the last event. */
void regions_finish(struct regions *regions);

/*
 * Return the region of this kind and address, or NULL; before
 * regions_finish().
 */
struct region *regions_find(const struct regions *regions, uint8_t kind,
                            uint64_t address);

/* Return the regions by kind and address; the caller frees the array. */
const struct region **regions_in_order(const struct regions *regions);

void regions_close(struct regions *regions);

/* Return "stack", "heap", "k_heap" or "mem_slab". */
const char *region_kind_name(const struct region *region);

/* Return "rising", "falling" or "steady". */
const char *region_trend_name(enum region_trend trend);

/*
 * Names of the regions and threads of a trace
 *
 * Threads and regions that the program has named are in the metadata of the
 * folder or the stream; others, and threads that are variables, in the
 * program's ELF file. Names may be any bytes.
 */

struct trace_names;

/* Open names by the ELF file `elf`; NULL: the file that the metadata names,
   unless it is newer. Addresses of calls have the file's size from now on.
   Return NULL on failure. */
struct trace_names *trace_names_open(struct trace *trace, const char *elf,
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

/*
 * Modules of the callers in a trace
 *
 * A trace of calls has run-time addresses. Their modules are known from the
 * program that the user names, with its load address, or from the ledger of the
 * same run, which has all modules.
 *
 *     caller_modules_add(&modules, "app.elf", NULL, &failure);
 *     module = caller_modules_find(&modules, event.caller, &place);
 */

struct caller_module {
    struct profile_module file; /* with an absolute path */
    uint64_t low, high;         /* span of its segments, in file addresses */
    bool has_thumb;             /* bit 0 of return addresses marks Thumb code */
};

/* Begins as { 0 }. */
struct caller_modules {
    struct caller_module *items;
    size_t count;
    bool has_all; /* all files of the run: other addresses are in none */
};

/* Add the modules of a ledger, or a program, whose address 0 was loaded at
   `load_address` (NULL: as linked). Return 0, or -1 with the reason. */
int caller_modules_add(struct caller_modules *modules, const char *path,
                       const uint64_t *load_address,
                       struct source_failure *failure);

/* Return the number of the module with this return address, or -1; set *place
   to the address in its file. */
int caller_modules_find(const struct caller_modules *modules, uint64_t caller,
                        uint64_t *place);

/* Return true if a file begins like a ledger. */
bool is_ledger_file(const char *path);

void caller_modules_close(struct caller_modules *modules);

/* Names of functions of callers, each looked up once. */
struct caller_names;

/* Create names of callers in `modules`, which must outlive them. */
struct caller_names *caller_names_open(const struct caller_modules *modules);
void caller_names_close(struct caller_names *names);

/* Return the function's name, any bytes, or NULL; it lives as long as the
   names. */
const char *caller_names_find(struct caller_names *names, uint64_t caller);

/* Events of a trace, summed by region and by caller */

/* Begins as { 0 }. */
struct trace_sum {
    struct regions regions; /* of ZPL's events */
    struct call_accounts calls;
    struct trace_counts counts;
    struct trace_program program; /* named by the trace */
};

/* Read the rest of the trace into an empty sum, finish and name its regions.
   Return 0, or -1 with the reason; close the sum in either case. */
int trace_sum_load(struct trace_sum *sum, struct trace *trace,
                   struct trace_names *names, struct source_failure *failure);
void trace_sum_close(struct trace_sum *sum);

/* Add new events. Return 0, or -1 with the reason. */
int trace_sum_read(struct trace_sum *sum, struct trace *trace,
                   struct source_failure *failure);

/* Add one event that the caller has read. */
void trace_sum_add(struct trace_sum *sum, const struct trace_event *event);

/* Return true for a trace of calls, even of no call. */
static inline bool trace_sum_has_calls(const struct trace_sum *sum)
{
    return sum->calls.events > 0 || sum->counts.has_calls;
}

/* Name regions that the caller has added up. */
void name_regions(struct trace_names *names, struct regions *regions);
