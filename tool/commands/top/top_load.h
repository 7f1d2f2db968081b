/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_load.h - the accounts that `tally top` watches, of a live process or of a
 * file, as they are now
 */
#pragma once

#include "tool/commands/options/options.h"
#include "tool/commands/top/top_parts.h"
#include "tool/model/profile/profile.h"
#include "tool/session/images/live_ledger.h"

struct top_load {
    const struct source_options *of;
    bool has_all;
    bool has_residency;      /* asked for: who pins pages */
    bool is_live;            /* a process, not a file */
    struct top_calls *calls; /* of a trace, or NULL */
    bool has_ended;          /* nothing will change any more */
    bool was_read;           /* there were accounts before */
    char *name;              /* a pid, or a path */
    char *first;             /* what its recording's other images lie beside */
    bool is_most;            /* ... of which it held most, and was not named */
    struct live_ledger ledger;
    struct ledger_snapshot last;         /* that was read of it */
    double resident_due;                 /* no look at pages before */
    struct session_failure no_residency; /* why it is not known, or "" */
};

/* `name` NULL: the newest recording of this user. COMMAND_DONE, or a status
   after a complaint. */
int top_load_open(struct top_load *load, const char *name);
void top_load_close(struct top_load *load);

/* The accounts now, finished; NULL after a complaint. */
struct profile *top_load_read(struct top_load *load);

/* Processes, or images, that the same tally record recorded, by name. */
struct top_names {
    char **names;
    size_t count;
};

void top_load_find(const struct top_load *load, struct top_names *names);
void top_names_close(struct top_names *names);

/* Watch another of them from here on; false: it has gone. */
bool top_load_take(struct top_load *load, const char *name);
