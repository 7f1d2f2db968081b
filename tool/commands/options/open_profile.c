/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_profile.c - from what the user named to accounts
 */
#include "tool/commands/options/open_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/complaint.h"
#include "tool/files/regular_file.h"
#include "tool/model/names/images.h"

bool is_pid(const char *name)
{
    return name[0] != '\0' && strlen(name) <= 9 &&
           name[strspn(name, "0123456789")] == '\0';
}

static int open_live(const char *name, struct source *source)
{
    struct live_ledger ledger;
    struct ledger_snapshot snapshot;
    struct session_failure failure;
    int status;

    if (live_ledger_open((pid_t)strtol(name, NULL, 10), &ledger, &failure) < 0)
        return tell_line("%s", failure.text);
    if (live_ledger_read(&ledger, &snapshot, &failure) < 0) {
        status = tell_line("%s", failure.text);
    } else {
        live_ledger_read_resident(&ledger, &snapshot);
        source_open_bytes(source, snapshot.bytes, snapshot.size);
        status = COMMAND_DONE;
    }
    live_ledger_close(&ledger);
    return status;
}

int open_source(const char *name, struct source *source)
{
    struct source_failure failure;

    if (is_pid(name))
        return open_live(name, source);
    if (source_open_file(source, name, &failure) < 0)
        return complain_about_source(name, &failure);
    return COMMAND_DONE;
}

int load_profile(const struct source *source, const char *name,
                 struct profile *profile)
{
    struct source_failure failure;

    return source_load(source, profile, &failure) == 0
               ? COMMAND_DONE
               : complain_about_source(name, &failure);
}

int open_profile(const char *name, struct profile *profile)
{
    struct source source;
    int status = open_source(name, &source);

    if (status != COMMAND_DONE)
        return status;
    status = load_profile(&source, name, profile);
    source_close(&source);
    return status;
}

/* A process that has ended meanwhile is left out. */
static int add_live(const struct live_ledger *ledger, void *profile)
{
    struct ledger_snapshot snapshot;
    struct session_failure failure;
    struct source source;
    char name[32];
    int status;

    if (live_ledger_read(ledger, &snapshot, &failure) < 0)
        return COMMAND_DONE;
    snprintf(name, sizeof name, "%ld", (long)ledger->pid);
    source_open_bytes(&source, snapshot.bytes, snapshot.size);
    status = load_profile(&source, name, profile);
    source_close(&source);
    return status;
}

int open_below(const struct live_ledger *ledger, struct profile *profile)
{
    int status = live_ledger_each(ledger, add_live, profile);

    return status < 0 ? complain_of_memory("--all") : status;
}

int open_others(const char *name, struct profile *profile)
{
    struct session_failure failure;
    struct live_ledger ledger;
    struct image_list images;
    int status = COMMAND_DONE;

    if (is_pid(name)) {
        if (live_ledger_open((pid_t)strtol(name, NULL, 10), &ledger, &failure) <
            0)
            return tell_line("%s", failure.text);
        status = open_below(&ledger, profile);
        live_ledger_close(&ledger);
        return status;
    }
    if (images_open(&images, name) < 0)
        status = complain_of_memory("--all");
    regular_file_only(true);
    for (size_t i = 0; i < images.file_count && status == COMMAND_DONE; i++)
        status = open_profile(images.files[i].path, profile);
    regular_file_only(false);
    images_close(&images);
    return status;
}
