/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_load.h - read the process or file that `tally top` watches
 */
#pragma once

#include "tool/commands/options/options.h"
#include "tool/commands/top/top_parts.h"
#include "tool/model/profile/profile.h"
#include "tool/session/images/live_ledger.h"

struct top_load {
    const struct source_options *of;
    bool has_all;
    bool has_residency;      /* read residency */
    bool is_live;            /* a process, not a file */
    struct top_calls *calls; /* for a trace, or NULL */
    bool has_ended;          /* no more changes */
    bool was_read;           /* read before */
    char *name;              /* a pid, or a path */
    char *first;             /* file beside which other images lie */
    bool is_most;            /* chosen because it held most, not by name */
    struct live_ledger ledger;
    struct ledger_snapshot last;         /* last reading */
    double resident_due;                 /* time of the next residency */
    struct session_failure no_residency; /* reason for no residency, or "" */
};

/* Open a source; `name` NULL: the newest recording of this user. Return
   COMMAND_DONE, or a status after a complaint. */
int top_load_open(struct top_load *load, const char *name);
void top_load_close(struct top_load *load);

/* Return the current finished profile; NULL after a complaint. */
struct profile *top_load_read(struct top_load *load);

/* Processes, or images, of the same recording, by name. */
struct top_names {
    char **names;
    size_t count;
};

void top_load_find(const struct top_load *load, struct top_names *names);
void top_names_close(struct top_names *names);

/* Watch another of them from now on; return false if it is gone. */
bool top_load_take(struct top_load *load, const char *name);
