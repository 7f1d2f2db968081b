/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_add.c - tally store add: add ledgers, folders and processes
 *
 * An unreadable file does not stop the others.
 */
#include <sys/stat.h>

#include "tool/commands/load/load.h"
#include "tool/commands/store/store_parts.h"
#include "tool/files/files.h"

/* Earliest time, in 2001: the store's times have ten digits. */
#define EARLIEST_NS (UINT64_C(1000000000) * NS)
#define DAY_NS      (UINT64_C(86400) * NS)

struct adding {
    const struct store_options *options;
    struct batch *batch;
    char host[256];
    bool has_failed; /* failed at the store, not at a file */
    int status;
};

static void add_profile(struct adding *adding, const char *name,
                        struct profile *profile)
{
    const struct store_options *options = adding->options;
    const struct fleet_question *given = &options->question;
    uint64_t ns;
    struct snapshot_owner owner = {
        .service = given->service,
        .version = given->version == NULL ? "" : given->version,
        .host = given->host == NULL ? adding->host : given->host,
        .labels = options->labels,
        .label_count = options->label_count,
    };

    profile_finish(profile);
    if (profile->image_count != 1 || !profile->has_stacks) {
        adding->status = complain(name, "not a recording of one process",
                                  "name a file of tally record or snapshot");
        return;
    }
    /* The time of the reading. */
    ns = profile->images[0].start_ns + profile->duration_ns;
    if (ns < profile->images[0].end_ns)
        ns = profile->images[0].end_ns;
    if (is_pid(name))
        ns = clock_ns(CLOCK_REALTIME);
    if (ns < EARLIEST_NS || ns > clock_ns(CLOCK_REALTIME) + DAY_NS) {
        adding->status =
            complain(name, "its time is before 2001 or after tomorrow",
                     "set the clock and record again");
        return;
    }
    if (owner.service == NULL)
        owner.service = base_name(profile->images[0].program);
    note_losses(name, profile);
    if (batch_add(adding->batch, &owner, profile, ns) < 0)
        adding->has_failed = true;
}

/* Add one ledger; one with `is_found` was not named by the user, and may be a
   pipe. */
static void add_one(struct adding *adding, const char *name, bool is_found)
{
    struct profile *profile = profile_create();
    int status;

    profile->kinds = PROFILE_ALL;
    if (is_found)
        regular_file_only(true);
    status = open_profile(name, profile);
    if (is_found)
        regular_file_only(false);
    profile_begin_stacks(profile);
    if (status == COMMAND_DONE)
        add_profile(adding, name, profile);
    else
        adding->status = status;
    profile_destroy(profile);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Add a ledger and the other process images of its recording. */
static void add_all(struct adding *adding, const char *name, bool is_found)
{
    struct image_list others;

    add_one(adding, name, is_found);
    images_open(&others, name);
    for (size_t i = 0; i < others.file_count && !adding->has_failed; i++)
        add_one(adding, others.files[i].path, true);
    images_close(&others);
}

/* Return true for FILE.d, whose images are added with FILE. */
static bool is_of_another(const char *path)
{
    OWNED char *file = memory_text(path);
    size_t length = strlen(path);
    struct stat facts;
    bool is_of = length > 2 && strcmp(path + length - 2, ".d") == 0;

    if (is_of) {
        file[length - 2] = '\0';
        is_of = access(file, F_OK) == 0 && stat(path, &facts) == 0 &&
                S_ISDIR(facts.st_mode);
    }
    return is_of;
}

static void add(struct adding *adding, const char *name)
{
    struct dirent **entries;
    struct stat facts;
    int count;

    if (is_pid(name)) {
        add_one(adding, name, false);
        return;
    }
    if (stat(name, &facts) < 0 || !S_ISDIR(facts.st_mode)) {
        add_all(adding, name, false);
        return;
    }
    count = scandir(name, &entries, is_shown, alphasort);
    if (count < 0) {
        adding->status = complain(name, strerror(errno), "name another folder");
        return;
    }
    for (int i = 0; i < count; i++) {
        OWNED char *path = memory_print("%s/%s", name, entries[i]->d_name);

        if (!adding->has_failed && !is_of_another(path))
            add_all(adding, path, true);
        free(entries[i]);
    }
    free(entries);
}

int store_add(struct clickhouse *server, const struct store_options *options,
              char **arguments)
{
    struct adding adding = { .options = options };
    struct batch_counts sent;

    if (arguments[0] == NULL)
        return complain("store add", "no file, folder or process is named",
                        "see tally store --help");
    gethostname(adding.host, sizeof adding.host - 1);
    adding.batch = batch_open(server, &options->of.choice.search);
    for (; *arguments != NULL && !adding.has_failed; arguments++)
        add(&adding, *arguments);
    if (adding.has_failed || batch_flush(adding.batch) < 0)
        adding.status = tell_line("store: %s; add everything again: "
                                  "profiles already stored count once",
                                  server->why);
    sent = batch_close(adding.batch);
    printf("%s snapshot%s with %s sample%s %s in the store\n",
           NUMBER(sent.snapshots), number_plural(sent.snapshots),
           NUMBER(sent.samples), number_plural(sent.samples),
           sent.snapshots == 1 ? "is" : "are");
    return adding.status;
}
