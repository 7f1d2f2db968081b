/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.h - a recording in progress, of a program that `tally record`
 * started or `tally attach` attached to
 */
#pragma once

#include "tool/commands/record/keeper.h"
#include "tool/commands/record/record_parts.h"
#include "tool/launch/launch.h"
#include "tool/launch/program_file.h"
#include "tool/launch/signal_relay.h"

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
