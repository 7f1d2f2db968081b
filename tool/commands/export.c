/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export.c - tally export: write a recording for another tool's viewer
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "tool/commands/load/load.h"
#include "tool/exporters/exporter.h"

enum { VALUE_UNSAID = 3 * MEASURE_COUNT };

struct export_options {
    struct source_options of;
    const struct exporter *exporter;
    unsigned value; /* index in measure_words, or VALUE_UNSAID */
    enum measure measure;
    const char *source;
    const char *output; /* NULL: standard output */
    bool has_sources;
    bool is_forced;
};

static void print_formats(void)
{
    for (size_t i = 0; i < exporter_names.count; i++)
        printf("  %-20s %s\n", words_at(&exporter_names, i),
               exporter_list[i]->summary);
}

static int take_format(const char *name, const char *value, void *field)
{
    int word = words_find(&exporter_names, value);

    if (word < 0)
        return complain_about_word(name, value, &exporter_names);
    *(const struct exporter **)field = exporter_list[word];
    return COMMAND_GO_ON;
}

static int take_output(const char *name, const char *value, void *field)
{
    (void)name;
    *(const char **)field = strcmp(value, "-") == 0 ? NULL : value;
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "to", OPTION_TAKES(take_format, struct export_options, exporter),
      .words = &exporter_names },
    { "value", OPTION_WORD(struct export_options, value, measure_words) },
    { "output", 'o', OPTION_TAKES(take_output, struct export_options, output) },
    { "source", OPTION_SETS(struct export_options, has_sources) },
    { "force", 'f', OPTION_SETS(struct export_options, is_forced) },
    { 0 },
};

static const struct option_need needs[] = { { "source", "to=html" }, { 0 } };

static const struct option_table table = {
    .command = "export",
    .help = help_export,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .shared = OPTIONS_ALL | OPTIONS_PROCESS | OPTIONS_SYMBOLS |
              OPTIONS_METADATA | OPTIONS_ELF | OPTIONS_AT,
    .rules = rules,
    .needs = needs,
    .more_help = print_formats,
};

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = name == NULL ? 0 : strlen(name);
    size_t end = suffix == NULL ? 0 : strlen(suffix);

    return name == NULL || suffix == NULL ||
           (length > end && strcmp(name + length - end, suffix) == 0);
}

static int parse(int argc, char **argv, struct export_options *options)
{
    int status = options_read(&table, argc, argv, options);

    if (status != COMMAND_GO_ON)
        return status;
    options->measure = (enum measure)(options->value % MEASURE_COUNT);
    if (options->exporter == NULL)
        return complain("export", "no format is named",
                        "name one with --to; see tally export --help");
    if (!has_suffix(options->output, options->exporter->suffix))
        return complain(options->output, "the output is packed by gzip",
                        "choose one that ends in .gz");
    if (options->output == NULL && isatty(STDOUT_FILENO) &&
        (options->exporter->is_page || options->exporter->suffix != NULL))
        return complain("export", "standard output is a terminal",
                        "name a file with -o FILE");
    return options_take_one(&table, "source", argc, argv, &options->source);
}

static int write_profile(FILE *out, const struct export_options *options,
                         const struct export_job *job)
{
    struct export_result result = { 0 };

    options->exporter->write(job, out, &result);
    if (result.too_many != 0)
        return complain(options->source, "too many live blocks for this format",
                        "export to another format: pprof, svg, folded");
    if (result.negative != 0)
        tell_line("export: %zu place%s below 0 %s left out: nothing can be "
                  "drawn of %s",
                  result.negative, number_plural(result.negative),
                  result.negative == 1 ? "is" : "are",
                  result.negative == 1 ? "it" : "them");
    if (result.left_out != 0)
        tell_line("export: %" PRIu64 " short-lived allocations are left out: "
                  "the format has a line for each",
                  result.left_out);
    return COMMAND_DONE;
}

static int write_trace(const struct export_files *files,
                       const struct export_options *options,
                       struct trace *trace, struct trace_names *names)
{
    struct source_failure failure;
    struct trace_counts counts;
    int status;

    if (options->exporter->write_trace(trace, names, files, &failure) < 0)
        return complain_about_source(options->source, &failure);
    trace_count(trace, &counts);
    status = trace_check(options->source, &counts);
    if (status == COMMAND_DONE)
        trace_tell_losses(options->source, &counts);
    return status;
}

/* Output file, or folder with `stream` and `metadata`. */
struct output {
    struct export_files files;
    const char *path;
    int folder; /* AT_FDCWD: none */
    bool is_made;
};

static const struct output *made; /* NULL: no output started */

static FILE *open_file(struct output *output, const char *name)
{
    int descriptor = openat(output->folder, name,
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (descriptor < 0)
        return NULL;
    output->is_made = true;
    return memory_or_exit(fdopen(descriptor, "w"));
}

static int open_folder(struct output *output)
{
    output->is_made = mkdir(output->path, 0777) == 0;
    if (output->is_made)
        output->folder = open(output->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (!output->is_made || output->folder < 0)
        return complain_about_output(output->path);
    output->files.out = open_file(output, "stream");
    output->files.metadata = open_file(output, "metadata");
    return output->files.out != NULL && output->files.metadata != NULL
               ? COMMAND_DONE
               : complain_about_output(output->path);
}

static void remove_made(void)
{
    if (!made->is_made)
        return;
    if (made->folder == AT_FDCWD) {
        unlink(made->path);
        return;
    }
    unlinkat(made->folder, "stream", 0);
    unlinkat(made->folder, "metadata", 0);
    rmdir(made->path);
}

/* Open the output, which does not exist. Call close_output() also after a
   failure. */
static int open_output(struct output *output, const char *path, bool is_folder)
{
    *output = (struct output){ .path = path, .folder = AT_FDCWD };
    made = output;
    memory_undo(remove_made);
    if (is_folder)
        return open_folder(output);
    output->files.out = open_file(output, path);
    return output->is_made ? COMMAND_DONE : complain_about_output(path);
}

static int close_file(const struct output *output, FILE *file, int status)
{
    bool is_bad;

    if (file == NULL)
        return status;
    errno = 0;
    is_bad = fflush(file) != 0 || ferror(file);
    is_bad = fclose(file) != 0 || is_bad;
    if (is_bad && status == COMMAND_DONE)
        return complain(output->path, strerror(errno),
                        "make room and export again");
    return status;
}

/* Close the output. Return `status`, or COMMAND_USAGE after a complaint if not
   all could be written. Remove the output unless the result is COMMAND_DONE. */
static int close_output(struct output *output, int status)
{
    status = close_file(output, output->files.out, status);
    status = close_file(output, output->files.metadata, status);
    if (status != COMMAND_DONE)
        remove_made();
    memory_undo(NULL);
    if (output->folder >= 0)
        close(output->folder);
    return status;
}

/* Write a profile by `job`, or else a trace. */
static int write_work(const struct export_options *options,
                      const struct export_job *job, struct trace *trace,
                      struct trace_names *names)
{
    struct output output = { .files = { .out = stdout } };
    int status = COMMAND_DONE;

    if (options->output != NULL && make_way(options->is_forced, options->output,
                                            options->source) != COMMAND_GO_ON)
        return COMMAND_USAGE;
    if (options->output != NULL)
        status = open_output(&output, options->output,
                             options->exporter->has_metadata);
    if (status == COMMAND_DONE)
        status = job != NULL
                     ? write_profile(output.files.out, options, job)
                     : write_trace(&output.files, options, trace, names);
    return options->output == NULL ? status : close_output(&output, status);
}

static int export_profile(const struct export_options *options,
                          const struct source_load *load)
{
    struct profile *profile = load->profile;
    OWNED struct page_process *processes = NULL;
    struct site_names *names;
    struct export_job job = {
        .profile = profile,
        .has_stacks = profile->has_stacks,
        .measure = options->measure,
        .title = options->source,
        .has_sources = options->has_sources,
    };

    if (!measure_is_known(profile, options->measure))
        return complain_about_measure("--value", profile, options->measure,
                                      "use live-bytes or live-blocks");
    note_sampling(options->source, profile);
    note_losses(options->source, profile);
    names = site_names_create(profile, &options->of.choice.search,
                              DEMANGLE_WITHOUT_ARGUMENTS);
    job.names = names;
    profile_begin_stacks(profile);
    job.frames = options->exporter->is_page
                     ? blame_all(&fold_shipped, profile, names)
                 : options->exporter->is_by_blame
                     ? blame_all(&fold_by_list, profile, names)
                     : frame_names_create(profile, names);
    job.processes = processes = source_load_processes(load, &job.process_count);
    return write_work(options, &job, NULL, NULL);
}

/* Export a profile, or the sums of a trace of calls. */
static int export_sites(const struct export_options *options,
                        struct source_load *load)
{
    const struct trace_sum *sum = &load->sum;
    int status = COMMAND_DONE;

    if (!load->is_trace &&
        (options->exporter->write == NULL || options->of.elf.path != NULL))
        return complain(options->of.elf.path != NULL ? "--elf" : "--to",
                        "the source is no trace of memory events",
                        "see tally export --help");
    status = source_load_sum(load);
    if (status != COMMAND_DONE)
        return status;
    if (load->is_trace && !trace_sum_has_calls(sum) &&
        options->exporter->is_page) {
        const struct export_job job = { .title = options->source,
                                        .regions = &sum->regions };

        trace_tell_losses(options->source, &sum->counts);
        return write_work(options, &job, NULL, NULL);
    }
    if (load->is_trace && !trace_sum_has_calls(sum))
        return complain("--to", "the source is a trace of regions",
                        "use --to tef, ctf or text; a picture is tally report "
                        "--svg");
    trace_tell_losses(options->source, &sum->counts);
    status = source_load_profile(load);
    return status == COMMAND_DONE ? export_profile(options, load) : status;
}

static int export_trace(const struct export_options *options,
                        struct source *source)
{
    const char *elf = elf_option_program(&options->of.elf);
    struct source_failure failure;
    struct trace trace;
    struct trace_names *names;
    int status;

    if (options->value != VALUE_UNSAID || options->of.at.time != HISTORY_NONE)
        return complain(options->value != VALUE_UNSAID ? "--value" : "--at",
                        "not for a trace, whose events are all written",
                        "leave it out");
    if (trace_open_source(&trace, source, &failure) < 0)
        return complain_about_source(options->source, &failure);
    names = trace_names_open(&trace, elf, &failure);
    if (names == NULL)
        status = complain_about_source(elf != NULL ? elf : options->source,
                                       &failure);
    else
        status = write_work(options, NULL, &trace, names);
    trace_names_close(names);
    trace_close(&trace);
    return status;
}

int command_export(int argc, char **argv)
{
    struct export_options options = { .value = VALUE_UNSAID };
    struct source_load load;
    int status = parse(argc, argv, &options);

    if (status != COMMAND_GO_ON)
        return status;
    if (options.output != NULL &&
        refuse_taken(options.is_forced, options.output) != COMMAND_GO_ON)
        return COMMAND_USAGE;
    load = source_load_of(options.source, &options.of);
    if (options.of.kinds == 0 && options.exporter->is_page)
        load.kinds = PROFILE_ALL;
    status = source_load_open(&load);
    if (status == COMMAND_DONE)
        status = load.is_trace && options.exporter->write_trace != NULL
                     ? export_trace(&options, &load.source)
                     : export_sites(&options, &load);
    source_load_close(&load);
    return status;
}
