/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_profile.c - from what the user named to accounts
 */
#include "tool/commands/open_profile.h"

#include <stdlib.h>
#include <string.h>

#include "tool/commands/complaint.h"
#include "tool/session/live_ledger.h"

static bool is_pid(const char *name)
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
        return complain_in_full(failure.text);
    if (live_ledger_read(&ledger, &snapshot, &failure) < 0) {
        status = complain_in_full(failure.text);
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

int open_profile(const char *name, struct profile *profile)
{
    struct source source;
    struct source_failure failure;
    int status = open_source(name, &source);

    if (status != COMMAND_DONE)
        return status;
    if (source_load(&source, profile, &failure) < 0)
        status = complain_about_source(name, &failure);
    source_close(&source);
    return status;
}

int open_all_images(const struct image_list *images, struct profile *profile)
{
    for (size_t i = 0; i < images->file_count; i++) {
        int status = open_profile(images->files[i].path, profile);

        if (status != COMMAND_DONE)
            return status;
    }
    return COMMAND_DONE;
}
