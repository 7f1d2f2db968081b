/* SPDX-License-Identifier: Apache-2.0 */
/* record_options.c - options of `tally record` and `tally attach` */
#include "tool/commands/record/record_parts.h"

#include <math.h>

#include "format/text/mem_profiling_parameter.h"
#include "tool/commands/options/command.h"
#include "tool/files/files.h"

enum { DEFAULT_INTERVAL = 512 << 10 };

#define LARGEST_INTERVAL (UINT64_C(1) << 40)
#define MOST_BLACKBOX    (UINT64_C(64) << 20)

static const char *const follow_names[] = { [SESSION_FOLLOW_NONE] = "none",
                                            [SESSION_FOLLOW_FORK] = "fork",
                                            [SESSION_FOLLOW_EXEC] = "exec",
                                            [SESSION_FOLLOW_ALL] = "all" };
static const struct word_list follow_words = WORDS(follow_names);

/* Values of --stacks, in the order of help. */
enum { STACKS_ALL, STACKS_CALLER, STACKS_SAMPLED, STACKS_UNSAID };

static const char *const stacks_names[] = { "all", "caller", "sampled" };
static const struct word_list stacks_words = WORDS(stacks_names);

static int set_sysctl(struct record_options *options, const char *where,
                      const char *value)
{
    struct mem_profiling_parameter parameter = { 0 };

    if (mem_profiling_parameter_read(value, &parameter)) {
        options->settings.control = parameter.control;
        options->settings.compressed = parameter.is_compressed;
        return COMMAND_GO_ON;
    }
    return complain_about_value(
        where, value, "sysctl.vm.mem_profiling={0|1|never}[,compressed]");
}

static int take_sysctl(const char *name, const char *value, void *whole)
{
    return set_sysctl(whole, name, value);
}

static int take_events(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;

    (void)name;
    options->has_events = true;
    options->trace_folder = value;
    return COMMAND_GO_ON;
}

/* Take a probability, and round it to the nearest whole interval. */
static int take_rate(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;
    char *end;
    double rate = strtod(value, &end);

    if (end == value || *end != '\0' || !(rate > 0 && rate <= 1) ||
        1 / rate > (double)LARGEST_INTERVAL)
        return complain_about_value(
            name, value, "the probability of a byte, such as 1e-5, up to 1");
    options->settings.sample_interval = (uint64_t)round(1 / rate);
    return COMMAND_GO_ON;
}

/* Take a share of at least 0.001 %: a few samples a second. */
static int take_overhead(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;
    char *end;
    double percent = strtod(value, &end);

    if (value[strspn(value, "0123456789.")] != '%' || strcmp(end, "%") != 0 ||
        !(percent >= 0.001 && percent <= 50))
        return complain_about_value(
            name, value,
            "a share of the CPUs' time such as 1% or 0.2%, from "
            "0.001% to 50%");
    options->settings.sample_budget = (uint32_t)round(percent * 10000);
    return COMMAND_GO_ON;
}

static const char *const wait_names[] = { "all", "first" };
static const struct word_list wait_words = WORDS(wait_names);

static int take_wait(const char *name, const char *value, void *field)
{
    uint64_t *ns = field;

    if (strcmp(value, "all") == 0 || strcmp(value, "first") == 0)
        *ns = *value == 'a' ? RECORD_WAIT_ALL : 0;
    else if (!parse_duration(value, ns))
        return complain_about_near(
            name, value, &wait_words,
            "first, all or a time such as " PARSE_DURATION_EXAMPLES);
    return COMMAND_GO_ON;
}

static const char *const signal_names[] = { "SIGUSR1", "SIGUSR2" };
static const struct word_list signal_words = WORDS(signal_names);

static int take_on(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;
    int word = words_find(&signal_words, value);

    options->snapshot_signal = word == 0 ? SIGUSR1 : SIGUSR2;
    return word >= 0 ? COMMAND_GO_ON
                     : complain_about_word(name, value, &signal_words);
}

/* Append a slash, which refuses files, and leave room for a name. */
static int end_folder(char folder[PATH_MAX])
{
    size_t length = strlen(folder);

    errno = ENAMETOOLONG;
    if (length >= PATH_MAX - 300)
        return -1;
    strcpy(folder + length, "/");
    return 0;
}

static int take_keep(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;

    /* Later changes of the working folder do not matter. */
    if (realpath(value, options->keep) == NULL ||
        end_folder(options->keep) < 0 || output_try(options->keep) < 0)
        return complain(name, strerror(errno),
                        "name a folder that can be written to");
    return COMMAND_GO_ON;
}

static int take_blackbox(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;
    uint64_t bytes;

    if (!parse_bytes(value, &bytes) || bytes < 2 * EVENTS_RING_BYTES ||
        bytes > MOST_BLACKBOX)
        return complain_about_value(name, value, "bytes from 1M to 64M");
    bytes /= EVENTS_RING_BYTES;
    options->settings.blackbox_rings =
        bytes < EVENTS_RING_COUNT ? (uint32_t)bytes : EVENTS_RING_COUNT;
    return COMMAND_GO_ON;
}

static int take_budget(const char *name, const char *value, void *whole)
{
    struct record_budget *budget = &((struct record_options *)whole)->budget;
    struct yaml_failure failure;

    if (budget->file != NULL)
        return complain(name, "it is given twice", "name one file");
    budget->file = value;
    return budget_read(&budget->rules, value, fopen(value, "re"), &failure) == 0
               ? COMMAND_GO_ON
               : complain(failure.where, failure.why, failure.advice);
}

/* `tally attach` has none of the options that some of these name. */
static const struct option_conflict excludes[] = {
    { "pid", "wait enforce sysctl", "the process runs already",
      "leave out one" },
    { "overhead", "stacks=all stacks=caller", "only samples have an overhead",
      "use --stacks=sampled" },
    { "overhead", "interval rate trace events",
      "the distance between samples changes", "leave out one" },
    { "trace", "events", "both record one trace",
      "use --events and tally decode" },
    { "blackbox", "trace events", "a trace has all events already",
      "leave out one" },
    { "snapshot-resident", "stacks=sampled overhead",
      "samples do not tell which blocks lie in a page", "leave out one" },
    { 0 },
};

static const struct option_need needs[] = {
    { "interval rate seed", "stacks=sampled overhead" },
    { "blackbox", "keep" },
    { "enforce", "budget" },
    { "snapshot-resident", "snapshot-every snapshot-at snapshot-on" },
    { 0 },
};

enum { RULES_OF_RECORD = 3 }; /* the rest is also of tally attach */

static const struct option_rule rules[] = {
    { "wait", OPTION_TAKES(take_wait, struct record_options, wait),
      .words = &wait_words },
    { "enforce", OPTION_SETS(struct record_options, budget.is_enforced) },
    { "sysctl", OPTION_TAKES_WHOLE(take_sysctl) },
    { "output", 'o', OPTION_NAMES(struct record_options, output) },
    { "pid", 'p', OPTION_NAMES(struct record_options, process) },
    { "allocator", OPTION_NAMES(struct record_options, allocator) },
    { "stacks", OPTION_WORD(struct record_options, stacks, stacks_words) },
    { "interval",
      OPTION_NUMBER(struct record_options, settings.sample_interval,
                    parse_bytes, 1, LARGEST_INTERVAL, OPTION_BYTES) },
    { "rate", OPTION_TAKES_WHOLE(take_rate) },
    { "seed",
      OPTION_NUMBER(struct record_options, settings.sample_seed,
                    option_parse_count, 0, UINT64_MAX, "a whole number") },
    { "overhead", OPTION_TAKES_WHOLE(take_overhead) },
    { "follow",
      OPTION_WORD(struct record_options, settings.follow, follow_words) },
    { "most", OPTION_NUMBER(struct record_options, most, parse_bytes, 1,
                            UINT64_MAX, OPTION_BYTES) },
    { "keep", OPTION_TAKES_WHOLE(take_keep) },
    { "blackbox", OPTION_TAKES_WHOLE(take_blackbox) },
    { "trace", OPTION_NAMES(struct record_options, trace_text) },
    { "events", OPTION_MAY_TAKE_WHOLE(take_events) },
    { "snapshot-every",
      OPTION_NUMBER(struct record_options, snapshots.interval_ns,
                    parse_duration, SNAPSHOTS_LEAST_NS, UINT64_MAX,
                    "a time from 100ms on, such as " PARSE_DURATION_EXAMPLES) },
    { "snapshot-at", OPTION_NUMBER(struct record_options, snapshots.live_bytes,
                                   parse_bytes, 1, UINT64_MAX, OPTION_BYTES) },
    { "snapshot-on", OPTION_TAKES_WHOLE(take_on), .words = &signal_words },
    { "snapshot-resident",
      OPTION_SETS(struct record_options, snapshots.is_resident) },
    { "budget", OPTION_TAKES_WHOLE(take_budget) },
    { "force", 'f', OPTION_SETS(struct record_options, is_forced) },
    { "quiet", 'q', OPTION_SETS(struct record_options, is_quiet) },
    { 0 },
};

static const struct option_table record_table = {
    .command = "record",
    .help = help_record,
    .arguments = ARGUMENT_PROGRAM,
    .rules = rules,
    .excludes = excludes,
    .needs = needs,
    .is_before_program = true,
};

static const struct option_table attach_table = {
    .command = "attach",
    .help = help_attach,
    .arguments = ARGUMENT_RUNNING,
    .rules = rules + RULES_OF_RECORD,
    .excludes = excludes,
    .needs = needs,
};

/* Check the options against each other, and set defaults that follow from
   them. */
static int check(const char *command, struct record_options *options)
{
    struct session_header *settings = &options->settings;

    if (settings->sample_budget != 0 && options->stacks == STACKS_UNSAID)
        options->stacks = STACKS_SAMPLED;
    if (options->output != NULL && strcmp(options->output, "-") == 0) {
        options->is_stdout = true;
        options->output = NULL;
    }
    if (options->is_stdout && isatty(STDOUT_FILENO))
        return tell_line("%s: -o -: standard output is a terminal, which "
                         "shows no ledger; name a file with -o FILE",
                         command);
    if (options->is_stdout && options->budget.file != NULL)
        return tell_line("%s: -o -: a budget is checked in a file; name "
                         "one with -o FILE",
                         command);
    if (settings->blackbox_rings != 0 && kept_copies_try(options->keep) < 0)
        return complain(options->keep, strerror(errno),
                        "--blackbox needs 96M there, on ext4, XFS, btrfs or "
                        "tmpfs");
    if (settings->sample_interval == 0)
        settings->sample_interval = DEFAULT_INTERVAL;
    if (settings->follow == SESSION_FOLLOW_NONE ||
        settings->control == LEDGER_CONTROL_NEVER)
        options->wait = 0; /* no process to wait for */
    /* 16 bits cannot number all stacks. */
    if (settings->compressed && options->stacks != STACKS_UNSAID &&
        options->stacks != STACKS_CALLER)
        return tell_line("%s: compressed references cannot name whole "
                         "stacks; use --stacks=caller, or full references",
                         command);
    if (settings->compressed || options->stacks == STACKS_CALLER)
        settings->stacks = SESSION_STACKS_CALLER;
    else if (options->stacks == STACKS_SAMPLED)
        settings->stacks = SESSION_STACKS_SAMPLED;
    return COMMAND_GO_ON;
}

static const struct record_options defaults = {
    .settings = { .follow = SESSION_FOLLOW_ALL,
                  .stacks = SESSION_STACKS_ALL,
                  .control = LEDGER_CONTROL_ON },
    .stacks = STACKS_UNSAID,
    .most = UINT64_C(1) << 30,
    .wait = RECORD_WAIT_ALL,
};

int record_options_parse(int argc, char **argv, struct record_options *options)
{
    const char *preset = secure_getenv("TALLY_SYSCTL");
    int status = COMMAND_GO_ON;

    *options = defaults;
    if (preset != NULL && *preset != '\0')
        status = set_sysctl(options, "TALLY_SYSCTL", preset);
    if (status == COMMAND_GO_ON)
        status = options_read(&record_table, argc, argv, options);
    if (status == COMMAND_GO_ON && options->process != NULL)
        return optind == argc
                   ? COMMAND_GO_ON
                   : complain("record", "both --pid and a program are given",
                              "leave out one");
    if (status == COMMAND_GO_ON)
        status = check("record", options);
    options->program = argv + optind;
    if (status != COMMAND_GO_ON || optind < argc)
        return status;
    return tell_line("record: no program given; try tally record -- PROGRAM");
}

int attach_options_parse(int argc, char **argv, struct record_options *options,
                         const char **process)
{
    int status;

    *options = defaults;
    status = options_read(&attach_table, argc, argv, options);
    *process = options->process;
    if (status == COMMAND_GO_ON && *process == NULL)
        status =
            options_take_one(&attach_table, "process", argc, argv, process);
    else if (status == COMMAND_GO_ON && optind < argc)
        status = tell_line("attach: more than one process is named; see tally "
                           "attach --help");
    return status == COMMAND_GO_ON ? check("attach", options) : status;
}
