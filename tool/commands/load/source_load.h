/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_load.h - from what the user named to a finished profile, and what a trace
 * lacks, in one line
 *
 *     struct source_load load = { .name = "a.tally", .elf = &options.of.elf };
 *     int status = source_load_open(&load);
 *
 *     if (status == COMMAND_DONE)
 *         status = source_load_sum(&load);
 *     if (status == COMMAND_DONE)
 *         status = source_load_profile(&load);
 *     if (status == COMMAND_DONE)
 *         show(load.profile);
 *     source_load_close(&load);
 *
 * A name is a file, "-" for standard input, or the pid of a live program; a
 * file whose name is a number is named as ./NUMBER.
 *
 * Each returns COMMAND_DONE, or COMMAND_USAGE after a complaint.
 */
#pragma once

#include "tool/commands/load/process_tree.h"
#include "tool/commands/options/options.h"
#include "tool/model/profile/profile.h"
#include "tool/model/source.h"
#include "tool/model/trace/trace_sum.h"
#include "tool/session/images/live_ledger.h"

struct page_process;

struct source_load {
    const char *name;             /* as the user gave it */
    const struct elf_option *elf; /* if it is a trace */
    bool has_all;                 /* with all other images */
    const char *process;          /* --process; NULL: the one that held most */
    bool is_exact;                /* the file that is named, not another one */
    bool is_silent;               /* about which one was taken */
    unsigned kinds;               /* as struct profile has them */
    struct history_wish at;       /* the instant of its profile */
    uint64_t older_ns;            /* without `since`: look at a process twice */
    struct source earlier;        /* private: what was seen first */
    const char *since;    /* an earlier ledger, which is taken away; or NULL */
    struct source source; /* until its profile is loaded */
    bool has_residency;   /* of a live program: who pins its pages */
    bool is_trace;
    struct process_tree processes;      /* of the recording, if several */
    const struct process_image *chosen; /* of these; else NULL */
    struct trace_sum sum;               /* if it is a trace */
    struct profile *profile;            /* NULL: not yet */
};

/* A name, as the options that all sources have say it. */
struct source_load source_load_of(const char *name,
                                  const struct source_options *of);

/* Its source: of several images of a recording one, which becomes the name. A
   trace is refused `has_all`. */
int source_load_open(struct source_load *load);

/* If it is a trace, read all of it. */
int source_load_sum(struct source_load *load);

/* Its profile: of a trace, that of the calls in its sum. What the source was
   read into is given back. */
int source_load_profile(struct source_load *load);

/* The images of its recording, for a page; valid until it is closed, and the
   array is the caller's. */
struct page_process *source_load_processes(const struct source_load *load,
                                           size_t *count);

void source_load_close(struct source_load *load);

/* Before both are opened: of two recordings with several programs choose the
   same in both. */
void source_load_choose_same(struct source_load sources[2]);

/*
 * The images of a recording, and which one is meant: of a process those below
 * it and itself, of a tally record, or with `is_session`, all that it records.
 * No `wish`: the one that held most, or the process that is named.
 */
int process_tree_of(const char *name, const char *wish, bool is_session,
                    struct process_tree *tree,
                    const struct process_image **chosen);

bool is_pid(const char *name);

/* Call live_ledger_find_all(), and print one line, once, if a user has more. */
void find_programs(live_program_fn *tell, void *context);

/* The ledger of the process that a number names. */
int open_process(const char *name, struct live_ledger *ledger);

/* Add what a name holds, which is no trace, to a profile. */
int open_profile(const char *name, struct profile *profile);

/*
 * Add all other images of its recording: the files beside it or, of a process,
 * those that descend from it and run.
 */
int open_others(const char *name, struct profile *profile);
int open_below(const struct live_ledger *ledger, struct profile *profile);

/*
 * After the last event: COMMAND_DONE, or COMMAND_USAGE after a complaint that
 * there was none. A file without a byte may be a trace of none: a line on
 * standard error says that it was taken for one.
 */
int trace_check(const char *name, const struct trace_counts *counts);

/* COMMAND_USAGE, after a complaint about an option that is for call sites. */
int trace_refuse_option(const char *name);

/* Tell of losses on standard error, if there are any. */
void trace_tell_losses(const char *name, const struct trace_counts *counts);
