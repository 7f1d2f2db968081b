/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_parts.h - what `tally record` is asked for, and its last words
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
    const struct budget_rule *least; /* what may be held at most; or NULL */
    bool is_over;                    /* more was held: the program is killed */
};

#define RECORD_WAIT_ALL UINT64_MAX

struct record_options {
    const char *output; /* NULL: PROGRAM.PID.tally */
    bool is_stdout;     /* the program's own ledger goes there */
    struct session_header settings;
    const char *allocator;  /* the prefix of a second one's names, or NULL */
    unsigned stacks;        /* private: the word of --stacks */
    const char *trace_text; /* --trace=FILE */
    const char
        *trace_folder; /* --events=FOLDER; NULL: named after the ledger */
    bool has_events;   /* --events */
    struct record_budget budget;
    struct snapshots snapshots; /* --snapshot-every, --snapshot-at */
    int snapshot_signal;        /* --snapshot-on; 0: none */
    char keep[PATH_MAX]; /* --keep, absolute and with a slash at its end */
    uint64_t most;       /* bytes of memory for all ledgers */
    uint64_t wait;       /* ns for others after the program's end */
    bool is_quiet;
    bool is_forced; /* outputs of that name are replaced */
    char **program; /* argv of the program */
};

/* COMMAND_GO_ON, or how the command ends. */
int record_options_parse(int argc, char **argv, struct record_options *options);

/* The same of `tally attach`, and the process that is named. */
int attach_options_parse(int argc, char **argv, struct record_options *options,
                         const char **process);

/* Choose what is enforced of a program's path. */
void record_budget_begin(struct record_budget *budget, const char *program);

/* Kill the program if it has held too much. Returns the milliseconds until the
   next call, at most `wait_ms`. */
int record_budget_poll(struct record_budget *budget,
                       const struct image_writer *writer,
                       struct image_table *table, int wait_ms);

/* Which rules are broken, on stderr. */
void record_budget_end(const struct record_budget *budget,
                       const struct image_writer *writer);

/* On stderr: of a trace and a black box, if there are any, and of ledgers. When
   they are to be quiet, only what was lost. */
void record_summary_print(const struct image_writer *writer,
                          const struct event_drain *drain,
                          const struct blackbox_account *copies,
                          const struct record_options *options);
