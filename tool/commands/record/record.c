/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - `tally record`: run a program and keep its accounts
 *
 * Everything that can be refused is refused before the program runs. From then
 * on the program comes first: whatever fails here costs accounts, is said in
 * one line after the program has ended, and never changes how it ends.
 *
 * This file is long because options, what they begin and what is said of it follow
 * one another here as they do in a recording.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ledger/ledger_layout.h"
#include "format/text/mem_profiling_parameter.h"
#include "tool/commands/options/command.h"
#include "tool/commands/options/options.h"
#include "tool/commands/options/unknown_value.h"
#include "tool/commands/record/record_samples.h"
#include "tool/commands/record/record_summary.h"
#include "tool/commands/record/record_trace.h"
#include "tool/commands/record/record_wait.h"
#include "tool/launch/child_environment.h"
#include "tool/launch/launch.h"
#include "tool/launch/program_file.h"
#include "tool/launch/program_wait.h"
#include "tool/launch/recorder_library.h"
#include "tool/launch/signal_relay.h"
#include "tool/session/find/session_file.h"
#include "tool/session/images/image_writer.h"
#include "tool/session/images/ledger_file.h"

struct record_options {
    const char *output; /* NULL: PROGRAM.PID.tally */
    struct session_settings settings;
    struct record_trace trace;
    struct record_samples samples;
    uint64_t wait;     /* seconds for others after the program's end */
    bool wants_stacks; /* --stacks=all or sampled was said */
    bool is_quiet;
    char **program; /* argv of the program */
};

/* All that a recording holds while the program runs. */
struct recording {
    struct record_options options;
    struct program_file program;
    struct recorder_library library;
    struct session_file session;
    char **environment;
    struct signal_relay relay;
    struct image_writer writer;
};

static const struct {
    const char *name;
    uint32_t follow;
} follow_names[] = {
    { "none", SESSION_FOLLOW_NONE },
    { "fork", SESSION_FOLLOW_FORK },
    { "exec", SESSION_FOLLOW_EXEC },
    { "all", SESSION_FOLLOW_ALL },
};

static const struct {
    const char *name;
    uint32_t stacks;
} stacks_names[] = {
    { "all", SESSION_STACKS_ALL },
    { "caller", SESSION_STACKS_CALLER },
    { "sampled", SESSION_STACKS_SAMPLED },
};

enum {
    FOLLOW_COUNT = sizeof follow_names / sizeof follow_names[0],
    STACKS_COUNT = sizeof stacks_names / sizeof stacks_names[0],
};

static const char help[] =
    "usage: tally record [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
    "\n"
    "Run PROGRAM and keep exact accounts of its memory by call site. The\n"
    "program runs as it would without tally, and tally record ends as it\n"
    "ended: by the same exit status or the same signal.\n"
    "\n"
    "  -o, --output=FILE   write the ledger to FILE, which must not exist;\n"
    "                      default PROGRAM.PID.tally. Other processes of its\n"
    "                      tree go to FILE.d/PID-GENERATION.\n"
    "      --follow=WHICH  other process images to record: none, fork (forked\n"
    "                      children until they exec), exec (images that\n"
    "                      replace another), all; default all\n"
    "      --wait=HOW      record what outlives the program: all (until the "
    "last\n"
    "                      process of its tree has ended, the default), first\n"
    "                      (not at all), or for so many seconds\n"
    "      --stacks=WHICH  what a site is: all (the whole call stack, the\n"
    "                      default), caller (the place of the call alone), or\n"
    "                      sampled (estimates out of samples, at next to no "
    "cost)\n"
    "      --interval=BYTES  bytes between samples, on average; default 512K\n"
    "      --rate=RATE     the same as a probability of each byte\n"
    "      --seed=N        other samples; default 0\n"
    "      --trace=FILE    write each call of malloc, realloc, calloc and free "
    "to\n"
    "                      FILE, as the text of Mbed OS mem_trace\n"
    "      --events[=FOLDER]  the same with thread and time, as CTF, which "
    "takes\n"
    "                      under half of the room; default PROGRAM.PID.events\n"
    "      --sysctl=STRING [sysctl.]vm.mem_profiling={0|1|never}[,compressed]\n"
    "                      as at the kernel's boot; default $TALLY_SYSCTL,\n"
    "                      else 1\n"
    "  -q, --quiet         say nothing after the program has ended, unless\n"
    "                      accounts were lost\n"
    "  -h, --help          this text\n"
    "  -V, --version       version of tally and of its ledgers\n"
    "\n"
    "PROGRAM must be dynamically linked with glibc and gain no privileges.\n"
    "While it runs: tally top PID, tally ctl PID vm.mem_profiling=0.\n"
    "Attaching to a program that runs already is not supported.\n"
    "\n"
    "Exit status: that of PROGRAM; 2 when it was not run.\n";

static int fail(const struct session_failure *failure)
{
    fprintf(stderr, "tally: %s\n", failure->text);
    return COMMAND_USAGE;
}

static const char *follow_word(size_t index)
{
    return index < FOLLOW_COUNT ? follow_names[index].name : NULL;
}

static int take_follow(const char *name, const char *value, void *field)
{
    for (size_t i = 0; i < FOLLOW_COUNT; i++) {
        if (strcmp(follow_names[i].name, value) == 0) {
            *(uint32_t *)field = follow_names[i].follow;
            return COMMAND_GO_ON;
        }
    }
    return complain_about_word(name, value, follow_word);
}

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

static const char *stacks_word(size_t index)
{
    return index < STACKS_COUNT ? stacks_names[index].name : NULL;
}

static int take_stacks(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;

    for (size_t i = 0; i < STACKS_COUNT; i++) {
        if (strcmp(stacks_names[i].name, value) == 0) {
            options->settings.stacks = stacks_names[i].stacks;
            options->wants_stacks =
                stacks_names[i].stacks != SESSION_STACKS_CALLER;
            return COMMAND_GO_ON;
        }
    }
    return complain_about_word(name, value, stacks_word);
}

static int take_events(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;

    (void)name;
    options->trace.has_events = true;
    options->trace.folder = value;
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "output", 'o', OPTION_NAMES(struct record_options, output) },
    { "stacks", 0, OPTION_TAKES_WHOLE(take_stacks) },
    { "interval", 0,
      OPTION_TAKES(record_samples_take_interval, struct record_options,
                   samples) },
    { "rate", 0,
      OPTION_TAKES(record_samples_take_rate, struct record_options, samples) },
    { "seed", 0,
      OPTION_TAKES(record_samples_take_seed, struct record_options, samples) },
    { "follow", 0,
      OPTION_TAKES(take_follow, struct record_options, settings.follow) },
    { "wait", 0, OPTION_TAKES(record_wait_take, struct record_options, wait) },
    { "trace", 0, OPTION_NAMES(struct record_options, trace.text) },
    { "events", 0, OPTION_MAY_TAKE_WHOLE(take_events) },
    { "sysctl", 0, OPTION_TAKES_WHOLE(take_sysctl) },
    { "quiet", 'q', OPTION_SETS(struct record_options, is_quiet) },
    { NULL, 0, OPTION_END },
};

static const struct option_table table = {
    .command = "record",
    .help = help,
    .rules = rules,
    .is_before_program = true,
};

/* There are more stacks than 16 bits can name. */
static int refuse_both(void)
{
    fputs("tally: record: compressed references cannot name whole stacks; use "
          "--stacks=caller, or full references\n",
          stderr);
    return COMMAND_USAGE;
}

static int parse(struct record_options *options, int argc, char **argv)
{
    const char *preset = secure_getenv("TALLY_SYSCTL");
    int status = COMMAND_GO_ON;

    *options = (struct record_options){
        .settings = { .follow = SESSION_FOLLOW_ALL,
                      .stacks = SESSION_STACKS_ALL,
                      .control = LEDGER_CONTROL_ON },
        .wait = RECORD_WAIT_ALL,
    };
    if (preset != NULL && *preset != '\0')
        status = set_sysctl(options, "TALLY_SYSCTL", preset);
    if (status == COMMAND_GO_ON)
        status = options_read(&table, argc, argv, options);
    if (status == COMMAND_GO_ON)
        status = record_trace_check(&options->trace);
    if (status == COMMAND_GO_ON)
        status =
            record_samples_check(&options->samples, options->settings.stacks ==
                                                        SESSION_STACKS_SAMPLED);
    options->settings.sample_interval = options->samples.interval;
    options->settings.sample_seed = options->samples.seed;
    if (status != COMMAND_GO_ON)
        return status;
    if (options->settings.follow == SESSION_FOLLOW_NONE ||
        options->settings.control == LEDGER_CONTROL_NEVER)
        options->wait = 0; /* there is nothing to wait for */
    if (options->settings.compressed) {
        if (options->wants_stacks)
            return refuse_both();
        options->settings.stacks = SESSION_STACKS_CALLER;
    }
    options->program = argv + optind;
    if (optind < argc)
        return COMMAND_GO_ON;
    fputs("tally: record: no program given; try tally record -- PROGRAM\n",
          stderr);
    return COMMAND_USAGE;
}

/* Descriptors of ours must not take the place of a closed standard stream. */
static void fill_standard_streams(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

/* PROGRAM.PID.tally, with a number behind it if that or its folder exists. */
static void choose_name(const struct recording *recording, pid_t program,
                        char path[PATH_MAX])
{
    const char *base = base_name(recording->options.program[0]);
    char folder[PATH_MAX + 8];
    struct stat status;
    int length =
        snprintf(path, PATH_MAX, "%.200s.%ld.tally", base, (long)program);

    for (int number = 1; number < 100000; number++) {
        snprintf(folder, sizeof folder, "%s.d", path);
        if (lstat(path, &status) < 0 && lstat(folder, &status) < 0)
            return;
        snprintf(path + length, PATH_MAX - (size_t)length, ".%d", number);
    }
}

static int prepare(struct recording *recording, struct session_failure *failure)
{
    struct record_options *options = &recording->options;
    bool is_named = options->output != NULL;

    if (program_file_find(options->program, &recording->program, failure) < 0 ||
        ledger_file_check_place(is_named ? options->output : "default.tally",
                                is_named, failure) < 0 ||
        recorder_library_find(&recording->library, failure) < 0)
        return -1;
    if (recording->program.own_allocator[0] != '\0')
        options->settings.own_allocator = recording->program.own_allocator;
    options->settings.events_clock = record_trace_clock(&options->trace);
    if (session_file_create(&recording->session, &options->settings, failure) <
        0)
        return -1;
    recording->environment = child_environment_create(
        environ, recording->library.path, recording->session.environment,
        recording->program.path, failure);
    return recording->environment == NULL
               ? -1
               : record_trace_prepare(&options->trace, failure);
}

static int poll_writer(void *writer)
{
    return image_writer_poll(writer);
}

/* The program's wait status, or -1 when it was not run. */
static int run(struct recording *recording, struct session_failure *failure)
{
    struct launch launch = {
        .path = recording->program.path,
        .arguments = recording->options.program,
        .environment = recording->environment,
        .file_size_limit = recording->session.file_size_limit,
        .relay = &recording->relay,
    };
    struct image_writer *writer = &recording->writer;
    int status;

    signal_relay_begin(&recording->relay);
    writer->program = launch_program(&launch, failure);
    if (writer->program < 0) {
        signal_relay_end(&recording->relay);
        return -1;
    }
    writer->session = &recording->session;
    writer->program_path = recording->program.path;
    writer->arguments = recording->options.program;
    if (recording->options.output != NULL)
        snprintf(writer->path, sizeof writer->path, "%s",
                 recording->options.output);
    else
        choose_name(recording, writer->program, writer->path);
    writer->events = &recording->options.trace.drain;
    record_trace_begin(&recording->options.trace, &recording->session,
                       writer->program, writer->program_path, writer->path);
    status =
        program_wait(writer->program, &recording->relay, poll_writer, writer);
    signal_relay_end(&recording->relay);
    record_wait(recording->options.wait, writer, &recording->relay,
                recording->options.is_quiet);
    record_trace_finish(&recording->options.trace);
    image_writer_finish(writer);
    return status;
}

static void clean_up(struct recording *recording)
{
    /* A process that still runs may yet exec, and needs the link then. */
    if (recording->writer.running_count == 0)
        recorder_library_remove(&recording->library);
    child_environment_destroy(recording->environment);
    event_drain_end(&recording->options.trace.drain);
    image_writer_end(&recording->writer);
    session_file_close(&recording->session);
}

int command_record(int argc, char **argv)
{
    struct recording recording = { .session = { .fd = -1 } };
    struct session_failure failure;
    int status = parse(&recording.options, argc, argv);

    if (status >= 0)
        return status;
    fill_standard_streams();
    status = prepare(&recording, &failure);
    if (status == 0)
        status = run(&recording, &failure);
    if (status < 0) {
        record_trace_cancel(&recording.options.trace);
        clean_up(&recording);
        return fail(&failure);
    }
    record_trace_print(&recording.options.trace, recording.options.is_quiet);
    record_summary_print(&recording.writer, recording.options.is_quiet);
    clean_up(&recording);
    return program_end_alike(status);
}
