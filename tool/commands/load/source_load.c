/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_load.c - see load.h
 *
 * This file is long because a name may be of a file, a process or a trace, and
 * of one image or of all.
 */
#include "tool/commands/load/load.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>

#include "tool/files/files.h"
#include "tool/model/sources/sources.h"
#include "tool/web/page.h"

int trace_check(const char *name, const struct trace_counts *counts)
{
    if (counts->events == 0 && counts->is_strange)
        return complain(name, "layout of its memory events not known",
                        "give the metadata of the trace with --metadata=FILE");
    if (counts->events == 0 && counts->others > 0)
        return tell_line("%s: a trace of %s event%s, none of memory; switch on "
                         "CONFIG_ZPL_MEMORY_USAGE_TRACE",
                         name, NUMBER(counts->others),
                         number_plural(counts->others));
    if (!trace_counts_are_of_trace(counts))
        return complain(name,
                        counts->bytes == 0 ? "it is empty" : "no memory event",
                        "name a trace that tally capture or a program wrote");
    if (counts->is_blank)
        tell_line("%s: empty: a trace without calls, or the wrong file", name);
    return COMMAND_DONE;
}

void trace_tell_losses(const char *name, const struct trace_counts *counts)
{
    char losses[TRACE_LOSSES_SIZE];

    if (trace_losses(losses, counts)[0] != '\0')
        tell_line("%s: %s", name, losses);
}

int trace_refuse_option(const char *name)
{
    return tell_line("--%s: a trace has no call sites; leave it out", name);
}

bool is_pid(const char *name)
{
    return name[0] != '\0' && strlen(name) <= 9 &&
           name[strspn(name, "0123456789")] == '\0';
}

static pid_t pid_of(const char *name)
{
    return (pid_t)strtol(name, NULL, 10);
}

void find_programs(live_program_fn *tell, void *context)
{
    static bool is_told;
    int64_t user = live_ledger_find_all(tell, context);

    if (user >= 0 && !is_told)
        tell_line("user %" PRId64 " has too many recorded programs to look "
                  "through; name a missing one by its PID",
                  user);
    is_told |= user >= 0;
}

int open_process(const char *name, struct live_ledger *ledger)
{
    pid_t pid = pid_of(name);
    struct session_failure failure;

    if (live_ledger_open(pid, ledger, &failure) == 0)
        return COMMAND_DONE;
    if (access(name, F_OK) == 0)
        return tell_line("%s; the file of that name is ./%s", failure.text,
                         name);
    if (pid == 0 || (kill(pid, 0) < 0 && errno == ESRCH))
        return complain(name,
                        "no such file, and no recorded process with this PID",
                        "name a recording, or a program under tally record");
    return tell_line("%s", failure.text);
}

static int open_live(const char *name, bool has_residency,
                     struct source *source)
{
    struct live_ledger ledger;
    struct ledger_snapshot snapshot;
    struct session_failure failure;
    int status = open_process(name, &ledger);

    if (status != COMMAND_DONE)
        return status;
    if (live_ledger_read(&ledger, &snapshot, &failure) < 0) {
        live_ledger_close(&ledger);
        return tell_line("%s", failure.text);
    }
    if (has_residency)
        status = live_ledger_read_residency(&ledger, &snapshot, &failure);
    else
        live_ledger_read_resident(&ledger, &snapshot, NULL);
    site_history_fetch(&snapshot);
    live_ledger_close(&ledger);
    source_open_bytes(source, snapshot.bytes, snapshot.size);
    return status == 0 ? COMMAND_DONE : tell_line("%s", failure.text);
}

static int open_source(const char *name, bool has_residency,
                       struct source *source)
{
    struct source_failure failure;

    if (is_pid(name))
        return open_live(name, has_residency, source);
    if (source_open_file(source, name, &failure) < 0)
        return complain_about_source(name, &failure);
    return COMMAND_DONE;
}

static int load_profile(const struct source *source, const char *name,
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
    int status = open_source(name, false, &source);

    if (status != COMMAND_DONE)
        return status;
    status = load_profile(&source, name, profile);
    source_close(&source);
    return status;
}

/* Add a live process, unless it has ended. */
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

    if (status < 0)
        exit_out_of_memory();
    return status;
}

int open_others(const char *name, struct profile *profile)
{
    struct live_ledger ledger;
    struct image_list images;
    int status = COMMAND_DONE;

    if (is_pid(name)) {
        status = open_process(name, &ledger);
        if (status != COMMAND_DONE)
            return status;
        if (ledger.pid != pid_of(name))
            ledger.offset = 0; /* the whole recording */
        status = open_below(&ledger, profile);
        live_ledger_close(&ledger);
        return status;
    }
    images_open(&images, name);
    regular_file_only(true);
    for (size_t i = 0; i < images.file_count && status == COMMAND_DONE; i++)
        status = open_profile(images.files[i].path, profile);
    regular_file_only(false);
    images_close(&images);
    return status;
}

/* Read the process a first time, then wait. */
static int look_before(struct source_load *load)
{
    struct timespec age = { (time_t)(load->older_ns / 1000000000),
                            (long)(load->older_ns % 1000000000) };
    int status = open_source(load->name, false, &load->earlier);

    if (status != COMMAND_DONE)
        return status;
    tell_line("%s: read; again in %.1f s", load->name,
              (double)load->older_ns / 1e9);
    while (nanosleep(&age, &age) < 0 && errno == EINTR)
        ;
    return COMMAND_DONE;
}

int process_tree_of(const char *name, const char *wish, bool is_session,
                    struct process_tree *tree,
                    const struct process_image **chosen)
{
    const bool is_wanted = wish != NULL;
    struct live_ledger root;

    if (!is_pid(name)) {
        process_tree_open(tree, name, is_wanted);
    } else {
        if (open_process(name, &root) != COMMAND_DONE)
            return COMMAND_USAGE;
        if (is_session || root.pid != pid_of(name))
            root = (struct live_ledger){ .fd = root.fd };
        else if (!is_wanted)
            wish = name;
        process_tree_open_live(tree, &root, is_wanted);
        live_ledger_close(&root);
    }
    *chosen = process_tree_choose(tree, wish);
    return COMMAND_DONE;
}

void source_load_choose_same(struct source_load sources[2])
{
    struct process_tree *trees[2] = { &sources[0].processes,
                                      &sources[1].processes };
    const struct process_image *same, *chosen = NULL;

    if (sources[0].process != NULL || sources[0].has_all)
        return;
    for (unsigned i = 0; i < 2; i++)
        process_tree_open(trees[i], sources[i].name, false);
    /* A recording of one image is read for its program. */
    for (unsigned i = 0; i < 2; i++) {
        if (trees[i]->count == 0 && trees[1 - i]->count > 1 &&
            !is_pid(sources[i].name) && strcmp(sources[i].name, "-") != 0)
            process_tree_open(trees[i], sources[i].name, true);
    }
    for (size_t i = 0; i < trees[1]->count; i++) {
        const struct process_image *image = &trees[1]->images[i];

        if (!image->is_readable ||
            (chosen != NULL && chosen->place < image->place))
            continue;
        same = process_tree_choose(trees[0], base_name(image->program));
        if (same == NULL)
            continue;
        sources[0].chosen = same;
        sources[1].chosen = chosen = image;
    }
    for (unsigned i = 0; i < 2 && chosen == NULL; i++)
        process_tree_close(trees[i]);
}

/* Choose one image; an earlier snapshot is of the named one. */
static int choose_process(struct source_load *load)
{
    const char *name = load->name, *wish = load->process;
    bool is_same = load->chosen != NULL;
    char number[PROCESS_NUMBER_SIZE];

    if ((load->is_exact || load->has_all) && !is_pid(name))
        process_tree_open(&load->processes, name, false);
    if (load->has_all || load->is_exact ||
        (load->since != NULL && wish == NULL))
        return COMMAND_DONE;
    if (!is_same && process_tree_of(name, wish, false, &load->processes,
                                    &load->chosen) != COMMAND_DONE)
        return COMMAND_USAGE;
    if (load->chosen == NULL && wish != NULL)
        return complain(wish, "no such process in the recording",
                        "tally report without --process lists them");
    if (load->chosen == NULL)
        return COMMAND_DONE;
    load->name = load->chosen->path;
    /* A process that was named needs no message. */
    if (!load->is_silent && wish == NULL && load->processes.count > 1 &&
        !(is_pid(name) && strcmp(name, load->name) == 0))
        tell_line("%s: showing %s %s, the largest of %zu processes%s; see "
                  "--process and --all",
                  name, process_number(number, load->chosen),
                  base_name(load->chosen->program), load->processes.count,
                  is_same ? " in both" : "");
    return COMMAND_DONE;
}

struct source_load source_load_of(const char *name,
                                  const struct source_options *of)
{
    return (struct source_load){ .name = name,
                                 .elf = &of->elf,
                                 .has_all = of->has_all,
                                 .process = of->process,
                                 .kinds = of->kinds,
                                 .at = of->at };
}

int source_load_open(struct source_load *load)
{
    int status = choose_process(load);

    if (status != COMMAND_DONE)
        return status;
    if (load->older_ns != 0 && load->since == NULL)
        status = look_before(load);
    if (status == COMMAND_DONE)
        status = open_source(load->name, load->has_residency, &load->source);
    if (status != COMMAND_DONE)
        return status;
    load->is_trace = load->source.kind == SOURCE_TRACE;
    return load->is_trace && load->has_all
               ? complain("--all", "a trace has one process", "leave it out")
               : COMMAND_DONE;
}

static int sum(struct source_load *load, struct trace *trace,
               const char *program)
{
    struct source_failure failure;
    struct trace_names *names = trace_names_open(trace, program, &failure);
    int status;

    if (names == NULL)
        return complain_about_source(program != NULL ? program : load->name,
                                     &failure);
    if (trace_sum_load(&load->sum, trace, names, &failure) < 0)
        status = complain_about_source(load->name, &failure);
    else
        status = trace_check(load->name, &load->sum.counts);
    trace_names_close(names);
    return status;
}

int source_load_sum(struct source_load *load)
{
    const char *program = elf_option_program(load->elf);
    struct source_failure failure;
    struct trace trace;
    int status;

    if (!load->is_trace)
        return COMMAND_DONE;
    if (trace_open_source(&trace, &load->source, &failure) < 0)
        return complain_about_source(load->name, &failure);
    status = sum(load, &trace, program);
    trace_close(&trace);
    if (status == COMMAND_DONE && program == NULL && load->elf->path != NULL &&
        !trace_sum_has_calls(&load->sum))
        return complain(load->elf->path, "a recording names no regions",
                        "name the program's file with --elf");
    if (status == COMMAND_DONE && load->sum.regions.left_out != 0)
        complain(load->name, "more than 16,384 regions",
                 "events of further regions are left out");
    return status;
}

static int load_sum(const struct source_load *load)
{
    struct caller_modules modules = { 0 };
    int status = elf_option_add(load->elf, &load->sum.program, &modules);

    if (status == COMMAND_DONE)
        load_calls(&load->sum, &modules, load->profile);
    caller_modules_close(&modules);
    return status;
}

/* Subtract the earlier ledger of the same image. */
static int take_earlier_away(struct source_load *load)
{
    struct source *source = &load->earlier;
    const char *name = load->since != NULL ? load->since : load->name;
    struct source_failure failure;

    if (load->is_trace || load->has_all)
        return complain("--since", "it compares recordings of one process",
                        "leave it out");
    if (load->since != NULL && source_open_file(source, name, &failure) < 0)
        return complain_about_source(name, &failure);
    if (source->kind != SOURCE_LEDGER)
        return complain(name, "not a Tally recording",
                        "name a file written by tally snapshot");
    return load_ledger_earlier(source->bytes, source->size, load->profile,
                               &failure) < 0
               ? complain_about_source(name, &failure)
               : COMMAND_DONE;
}

/* Refuse an instant that the ledger does not have. */
static int check_instant(const struct source_load *load)
{
    const struct history *history = &load->profile->history;
    char why[128];

    if (load->at.time == HISTORY_NONE || load->at.time == HISTORY_UNUSED)
        return COMMAND_DONE;
    if (history->count == 0)
        return complain(
            load->name, "no history",
            "tally record keeps one if the program runs longer than 0.1 s");
    snprintf(
        why, sizeof why, "its history covers %.3f s to %.3f s",
        history_seconds(history, history->instants[0].ns),
        history_seconds(history, history->instants[history->count - 1].ns));
    return history->is_chosen
               ? COMMAND_DONE
               : complain(load->name, why, "choose a time in it");
}

/* A live process may have a root folder and numbers of its own. */
static void name_generated_code(const struct source_load *load)
{
    bool is_live = is_pid(load->name);
    pid_t pid = is_live ? pid_of(load->name) : 0;
    struct stat status;
    OWNED char *path = NULL;

    if (load->profile->image_count != 1 ||
        (!is_live && stat(load->name, &status) < 0))
        return;
    path = is_live ? memory_print("/proc/%ld/root/tmp/perf-%" PRIu32 ".map",
                                  (long)pid, process_inner_pid(pid))
                   : memory_print("/tmp/perf-%" PRIu32 ".map",
                                  load->profile->images[0].pid);
    perf_map_load(load->profile, path,
                  is_live ? process_user(pid) : status.st_uid);
}

int source_load_profile(struct source_load *load)
{
    const struct memory_use use = { .what = load->name,
                                    .purpose = " to load it" };
    const struct memory_use *outer = memory_use(&use);
    bool has_earlier;
    int status;

    load->profile = profile_create();
    load->profile->kinds = load->kinds;
    load->profile->uses_up = true;
    load->profile->history.wish = load->at;
    status = load->is_trace
                 ? load_sum(load)
                 : load_profile(&load->source, load->name, load->profile);
    source_close(&load->source);
    if (status == COMMAND_DONE)
        status = check_instant(load);
    if (status == COMMAND_DONE && load->has_all)
        status = open_others(load->name, load->profile);
    else if (status == COMMAND_DONE && load->chosen != NULL)
        process_tree_complete(&load->processes, load->chosen, load->profile);
    has_earlier = load->since != NULL || load->earlier.bytes != NULL;
    if (status == COMMAND_DONE && has_earlier)
        status = take_earlier_away(load);
    if (status == COMMAND_DONE)
        profile_finish(load->profile);
    if (status == COMMAND_DONE)
        name_generated_code(load);
    memory_use(outer);
    /* Counters only grow, so the subtracted ledger is the later one. */
    if (status == COMMAND_DONE && has_earlier &&
        ((int64_t)load->profile->heap.alloc_blocks < 0 ||
         (int64_t)load->profile->heap.free_blocks < 0))
        return complain(load->since != NULL ? load->since : load->name,
                        "it is the later recording",
                        "name the earlier one with --since");
    return status;
}

struct page_process *source_load_processes(const struct source_load *load,
                                           size_t *count)
{
    const struct process_tree *tree = &load->processes;
    struct page_process *processes =
        memory_zeroed(tree->count + 1, sizeof *processes);
    const struct process_image *image = tree->count == 0 ? NULL : tree->root;

    for (*count = 0; image != NULL; image = process_tree_next(image)) {
        if (image->is_readable)
            processes[(*count)++] = (struct page_process){
                image->program, image->pid,  image->generation,    image->depth,
                image->peak,    image->live, image == load->chosen
            };
    }
    return processes;
}

void source_load_close(struct source_load *load)
{
    profile_destroy(load->profile);
    trace_sum_close(&load->sum);
    source_close(&load->source);
    source_close(&load->earlier);
    process_tree_close(&load->processes);
}
