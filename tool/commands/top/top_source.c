/* SPDX-License-Identifier: Apache-2.0 */
/* top_source.c - see top_source.h */
#include "tool/commands/top/top_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/command.h"
#include "tool/commands/options/complaint.h"
#include "tool/commands/options/open_profile.h"
#include "tool/model/sources/load_ledger.h"

int top_source_open(struct top_source *source, const char *name, bool has_all)
{
    struct session_failure failure;
    pid_t pid;

    *source = (struct top_source){ .name = name,
                                   .has_all = has_all,
                                   .ledger = { .fd = -1 } };
    if (name != NULL && !is_pid(name))
        return COMMAND_DONE; /* a file, read at each refresh */
    pid = name != NULL ? (pid_t)atol(name) : live_ledger_find_newest();
    if (pid < 0) {
        fputs("tally: top: no program of yours is being recorded; start one "
              "with tally record, or name a PID or a FILE\n",
              stderr);
        return COMMAND_USAGE;
    }
    source->is_live = true;
    if (live_ledger_open(pid, &source->ledger, &failure) == 0)
        return COMMAND_DONE;
    fprintf(stderr, "tally: %s\n", failure.text);
    return COMMAND_USAGE;
}

void top_source_close(struct top_source *source)
{
    live_ledger_close(&source->ledger);
}

static int load_live(struct top_source *source, struct profile *profile)
{
    struct session_failure session_failure;
    struct source_failure failure;
    struct ledger_snapshot snapshot;
    char name[32];
    int status = COMMAND_DONE;

    /* Asked first: what is read after the end is the whole account. */
    source->has_ended = !live_ledger_is_alive(&source->ledger);
    if (live_ledger_read(&source->ledger, &snapshot, &session_failure) < 0) {
        if (source->was_read && source->has_ended)
            return COMMAND_NO; /* its memory has been given back */
        fprintf(stderr, "tally: %s\n", session_failure.text);
        return COMMAND_USAGE;
    }
    snprintf(name, sizeof name, "%ld", (long)source->ledger.pid);
    if (load_ledger(snapshot.bytes, snapshot.size, profile, &failure) < 0)
        status = complain_about_source(name, &failure);
    ledger_snapshot_free(&snapshot);
    source->was_read = true;
    return status;
}

static int load_file(struct top_source *source, struct profile *profile)
{
    int status = open_profile(source->name, profile);

    /* Read while it is written: the rows of before are nearer to the truth. */
    if (status == COMMAND_DONE && profile->text.is_cut && source->was_read)
        status = complain(source->name, "the last line is cut short",
                          "it is read again");
    source->was_read = source->was_read || status == COMMAND_DONE;
    /* A kernel goes on; standard input cannot be read twice. */
    if (status == COMMAND_DONE && profile->allocinfo_version != 0)
        source->has_ended = strcmp(source->name, "-") == 0;
    else
        source->has_ended =
            status != COMMAND_DONE || !profile_is_running(profile);
    return status;
}

struct profile *top_source_load(struct top_source *source)
{
    struct profile *profile = profile_create();
    int status;

    if (profile == NULL) {
        complain_of_memory("top");
        return NULL;
    }
    status = source->is_live ? load_live(source, profile)
                             : load_file(source, profile);
    if (status == COMMAND_DONE && source->has_all)
        status = source->is_live ? open_below(&source->ledger, profile)
                                 : open_others(source->name, profile);
    if (status == COMMAND_DONE && profile_finish(profile) < 0)
        status = complain_of_memory("top");
    if (status != COMMAND_DONE) {
        profile_destroy(profile);
        return NULL;
    }
    return profile;
}
