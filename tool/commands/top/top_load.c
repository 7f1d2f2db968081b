/* SPDX-License-Identifier: Apache-2.0 */
/* top_load.c - see top_parts.h */
#include "tool/commands/top/top_parts.h"

#include "tool/commands/load/load.h"
#include "tool/files/files.h"
#include "tool/model/sources/sources.h"

/* Reading pages takes at most 1/RESIDENT_PART of the time. */
enum { RESIDENT_PART = 20 };

static void keep_newest(const struct live_program *program, void *newest)
{
    struct live_program *kept = newest;

    if (program->start_ns > kept->start_ns)
        *kept = *program;
}

int top_load_open(struct top_load *load, const char *name)
{
    struct live_program newest = { .program = -1 };
    struct process_tree tree = { 0 };
    const struct process_image *chosen = NULL;
    bool is_known = true;

    load->ledger.fd = -1;
    if (name == NULL)
        find_programs(keep_newest, &newest);
    if (name == NULL && newest.program < 0)
        return tell_line("top: no program of yours is being recorded; start "
                         "one with tally record, or name a PID or a FILE");
    load->first = name != NULL ? memory_text(name)
                               : memory_print("%ld", (long)newest.program);
    load->is_live = name == NULL || is_pid(name);
    load->name = memory_text(load->first);
    if (!load->has_all)
        is_known = process_tree_of(load->first, NULL, name == NULL, &tree,
                                   &chosen) == COMMAND_DONE;
    /* Read a file at each refresh. */
    if (is_known && (load->is_live || chosen != NULL))
        is_known =
            top_load_take(load, chosen == NULL ? load->first : chosen->path);
    load->is_most = chosen != NULL && strcmp(chosen->path, load->first) != 0;
    process_tree_close(&tree);
    return is_known ? COMMAND_DONE : COMMAND_USAGE;
}

void top_load_close(struct top_load *load)
{
    live_ledger_close(&load->ledger);
    ledger_snapshot_free(&load->last);
    free(load->name);
    free(load->first);
}

/* Add residency, seldom enough to bound the cost. */
static void add_residency(struct top_load *load)
{
    double began = top_now();

    if (!load->has_residency || began < load->resident_due)
        return;
    load->no_residency.text[0] = '\0';
    live_ledger_read_residency(&load->ledger, &load->last, &load->no_residency);
    load->resident_due = began + (top_now() - began) * RESIDENT_PART;
}

/* Load a running process; after its end the last reading is final. */
static int load_live(struct top_load *load, struct profile *profile)
{
    struct session_failure session_failure;
    struct source_failure failure;
    struct ledger_snapshot snapshot;

    /* Check this first: a ledger read after the end is complete. */
    load->has_ended = !live_ledger_is_alive(&load->ledger);
    if (live_ledger_read(&load->ledger, &snapshot, &session_failure) == 0) {
        ledger_snapshot_free(&load->last);
        load->last = snapshot;
        add_residency(load);
    } else if (!load->was_read || !load->has_ended) {
        return tell_line("%s", session_failure.text);
    }
    load->was_read = true;
    return load_ledger(load->last.bytes, load->last.size, profile, &failure) < 0
               ? complain_about_source(load->name, &failure)
               : COMMAND_DONE;
}

static int load_file(struct top_load *load, struct profile *profile)
{
    int status;

    regular_file_only(true); /* signals are blocked meanwhile */
    status = open_profile(load->name, profile);
    regular_file_only(false);
    /* The file was read while being written: the earlier rows are more
       accurate. */
    if (status == COMMAND_DONE && profile->text.is_cut && load->was_read)
        status = complain(load->name, "the last line is truncated",
                          "it is read again");
    load->was_read = load->was_read || status == COMMAND_DONE;
    /* A kernel keeps running; standard input cannot be read twice. */
    if (status == COMMAND_DONE && profile->allocinfo_version != 0)
        load->has_ended = strcmp(load->name, "-") == 0;
    else
        load->has_ended =
            status != COMMAND_DONE || !profile_is_running(profile);
    return status;
}

static int load_trace(struct top_load *load, struct profile *profile)
{
    struct top_calls *calls = load->calls;
    struct source_failure failure;

    if (trace_sum_read(&calls->sum, &calls->trace, &failure) < 0)
        return complain_about_source(load->name, &failure);
    call_accounts_finish(&calls->sum.calls);
    load_calls(&calls->sum, &calls->modules, profile);
    load->has_ended = trace_is_over(&calls->trace);
    return COMMAND_DONE;
}

struct profile *top_load_read(struct top_load *load)
{
    struct profile *profile = profile_create();
    int status;

    profile->kinds = load->of->kinds;
    status = load->calls != NULL ? load_trace(load, profile)
             : load->is_live     ? load_live(load, profile)
                                 : load_file(load, profile);
    if (status == COMMAND_DONE && load->has_all)
        status = load->is_live ? open_below(&load->ledger, profile)
                               : open_others(load->name, profile);
    if (status != COMMAND_DONE) {
        profile_destroy(profile);
        return NULL;
    }
    profile_finish(profile);
    return profile;
}

static int add_process(const struct live_ledger *ledger, void *context)
{
    struct top_names *names = context;

    ARRAY_ADD(names->names, names->count,
              memory_print("%ld", (long)ledger->pid));
    return 0;
}

void top_load_find(const struct top_load *load, struct top_names *names)
{
    struct live_ledger all = { load->ledger.fd, 0, 0 };
    struct image_list images;

    *names = (struct top_names){ 0 };
    if (load->is_live) {
        if (live_ledger_each(&all, add_process, names) < 0)
            exit_out_of_memory();
        return;
    }
    ARRAY_ADD(names->names, names->count, memory_text(load->first));
    images_open(&images, load->first);
    for (size_t i = 0; i < images.file_count; i++)
        ARRAY_ADD(names->names, names->count,
                  memory_text(images.files[i].path));
    images_close(&images);
}

void top_names_close(struct top_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    *names = (struct top_names){ 0 };
}

bool top_load_take(struct top_load *load, const char *name)
{
    struct live_ledger ledger = { .fd = -1 };

    if (load->is_live && open_process(name, &ledger) != COMMAND_DONE)
        return false;
    live_ledger_close(&load->ledger);
    ledger_snapshot_free(&load->last);
    load->ledger = ledger;
    load->last = (struct ledger_snapshot){ 0 };
    load->was_read = false;
    load->is_most = false;
    load->resident_due = 0;
    free(load->name);
    load->name = load->is_live ? memory_print("%ld", (long)ledger.pid)
                               : memory_text(name);
    return true;
}
