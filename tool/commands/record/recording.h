/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.h - a recording while it goes on: of a program that `tally record`
 * has started, or of one that `tally attach` has found running
 */
#pragma once

#include "tool/commands/record/keeper.h"
#include "tool/commands/record/record_parts.h"
#include "tool/launch/launch.h"
#include "tool/launch/program_file.h"
#include "tool/launch/signal_relay.h"

/* All that a recording holds while the program runs. */
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

/* What the session's events have as their clock. */
uint32_t recording_clock(const struct record_options *options);

/* What the program needs to know so that samples cost as little as asked for;
   before it runs, by our own process. */
void recording_set_budget(struct session_header *settings, pid_t program);

/* Whether this one can go where earlier recordings are, which go once it has
   begun. */
int recording_make_way(struct recording *recording,
                       struct session_failure *failure);

/* Before the program runs: where the trace goes, as far as it has a name. */
int recording_open_trace(struct recording *recording,
                         struct session_failure *failure);

/* The program runs, as writer.program. */
void recording_begin(struct recording *recording);

/* What is due while it runs, of struct recording. Returns the ms until then. */
int recording_poll(void *whole);

/* Until a signal comes, which `info` is then, or so long, but not too long. */
void recording_sleep(struct recording *recording, int wait_ms, siginfo_t *info);

/* An ignored signal ends a wait only if a process sends it; SIGHUP never. */
bool recording_is_ended_by(const siginfo_t *info);

/*
 * Return when no process of the session is left, so many seconds have passed,
 * or a signal asks us to end. Processes that run on are left alone.
 */
void recording_wait(struct recording *recording);

/* Write what has been recorded. */
void recording_finish(struct recording *recording);

void recording_clean_up(struct recording *recording);
