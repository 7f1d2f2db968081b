/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_parts.h - options and summary of `tally record`
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tool/model/budget/budget.h"
#include "tool/session/events/event_drain.h"
#include "tool/session/find/session_file.h"
#include "tool/session/images/blackbox.h"
#include "tool/session/images/image_writer.h"
#include "tool/session/images/snapshots.h"

/* --budget; begins as { 0 }. */
struct record_budget {
    const char *file; /* NULL: none */
    struct budget rules;
    bool is_enforced;                /* --enforce */
    const struct budget_rule *least; /* lowest bound on live bytes; or NULL */
    bool is_over;                    /* exceeded: the program was killed */
};

#define RECORD_WAIT_ALL UINT64_MAX

struct record_options {
    const char *output; /* NULL: PROGRAM.PID.tally */
    bool is_stdout;     /* write the program's own ledger to stdout */
    struct session_header settings;
    const char *allocator;  /* prefix of a second allocator, or NULL */
    unsigned stacks;        /* private: the word of --stacks */
    const char *trace_text; /* --trace=FILE */
    const char
        *trace_folder; /* --events=FOLDER; NULL: named after the ledger */
    bool has_events;   /* --events */
    struct record_budget budget;
    struct snapshots snapshots; /* --snapshot-every, --snapshot-at */
    int snapshot_signal;        /* --snapshot-on; 0: none */
    char keep[PATH_MAX]; /* --keep, absolute and with a slash at its end */
    uint64_t most;       /* most bytes of memory for all ledgers */
    uint64_t wait;       /* ns for other processes after its end */
    bool is_quiet;
    bool is_forced; /* replace existing outputs */
    char **program; /* argv of the program */
};

/* Read the options of `tally record`. Return COMMAND_GO_ON or the exit
   status. */
int record_options_parse(int argc, char **argv, struct record_options *options);

/* Read the options of `tally attach`, and its process. */
int attach_options_parse(int argc, char **argv, struct record_options *options,
                         const char **process);

/* Choose the rules to enforce for a program's path. */
void record_budget_begin(struct record_budget *budget, const char *program);

/* Kill the program if it exceeds the budget. Return the milliseconds until the
   next call, at most `wait_ms`. */
int record_budget_poll(struct record_budget *budget,
                       const struct image_writer *writer,
                       struct image_table *table, int wait_ms);

/* Print the broken rules to stderr. */
void record_budget_end(const struct record_budget *budget,
                       const struct image_writer *writer);

/* Print the summary to stderr: trace, black box and ledgers. With --quiet,
   print losses only. */
void record_summary_print(const struct image_writer *writer,
                          const struct event_drain *drain,
                          const struct blackbox_account *copies,
                          const struct record_options *options);
