/* SPDX-License-Identifier: Apache-2.0 */
/* record_parts.h - parts of `tally record` and `tally attach` */
#pragma once

#include "tool/launch/launch_parts.h"
#include "tool/model/budget/budget.h"
#include "tool/session/images/images.h"

/*
 * Options and summary of `tally record`
 */

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
    bool is_forced;      /* replace existing outputs */
    char **program;      /* argv of the program */
    const char *process; /* --pid; NULL: none */
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

/*
 * A process that holds the session's file, and outlives tally record
 *
 * Recorded processes reach the session by the keeper's number. So when tally
 * record is killed they, and what they run next, are recorded to their end, and
 * tally snapshot PID finds their ledgers. With a folder the keeper writes them
 * there when the last process has ended, and with a black box while they run,
 * when memory runs short or a copy is asked for. It is in a session of its own,
 * blocks all signals, and holds nothing open but that file.
 */

struct keeper {
    struct companion companion;
    struct keeper_word *word; /* private: shared with the keeper; NULL: none */
};

/*
 * Start the keeper before the program. If the system has no process left for
 * it, the session is reached by the pid of tally record. `program_path` must
 * stay valid.
 */
void keeper_begin(struct keeper *keeper, const struct record_options *options,
                  const char *program_path, struct session_file *session);

/* Return the account of the black box's copies; NULL: no black box. */
const struct blackbox_account *keeper_copies(const struct keeper *keeper);

/* Ask the black box for a copy; return false if there is none. */
bool keeper_ask(const struct keeper *keeper);

/* Return the location for the program's pid, set before it runs; NULL without a
   keeper. */
pid_t *keeper_program(const struct keeper *keeper);

/* End the keeper, unless recorded processes run on. */
void keeper_end(struct keeper *keeper, bool is_needed);

/*
 * A recording in progress, of a program that `tally record`
 * started or `tally attach` attached to
 */

/* State of a recording while the program runs. */
struct recording {
    struct record_options options;
    struct program_file program;
    struct recorder_library library;
    struct session_file session;
    struct keeper keeper;
    struct signal_relay relay;
    struct image_writer writer;
    struct event_drain drain; /* of a trace */
};

/* Descriptors of ours must not take the place of a closed standard stream. */
void recording_fill_streams(void);

/* Return the clock of the session's events. */
uint32_t recording_clock(const struct record_options *options);

/* Measure, before the program runs, the costs that it needs to keep to the
   sampling budget. */
void recording_set_budget(struct session_header *settings, pid_t program);

/* Check that earlier recordings can be replaced; they are removed once this one
   has started. */
int recording_make_way(struct recording *recording,
                       struct session_failure *failure);

/* Open the trace, before the program runs, if its name is known. */
int recording_open_trace(struct recording *recording,
                         struct session_failure *failure);

/* Start the work beside the running program, writer.program. */
void recording_begin(struct recording *recording);

/* Do the work that is due while the program runs; `whole` is a struct
   recording. Return the ms until the next call. */
int recording_poll(void *whole);

/* Sleep until a signal comes, stored in `info`, or at most `wait_ms` and
   RECORDING_LOOK_MS. */
void recording_sleep(struct recording *recording, int wait_ms, siginfo_t *info);

/* Return true if the signal ends a wait: one that was ignored only if a process
   sent it, SIGHUP never then. */
bool recording_is_ended_by(const siginfo_t *info);

/*
 * Wait until no process of the session is left, the time of --wait has passed,
 * or a signal asks to end. Processes that run on are left alone.
 */
void recording_wait(struct recording *recording);

/* Write the ledgers. */
void recording_finish(struct recording *recording);

void recording_clean_up(struct recording *recording);
