/* SPDX-License-Identifier: Apache-2.0 */
/* record_options.c - what `tally record` is asked for */
#include "tool/commands/record/record_options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "format/text/mem_profiling_parameter.h"
#include "tool/commands/options/complaint.h"
#include "tool/commands/options/options.h"
#include "tool/text/number.h"

enum { DEFAULT_INTERVAL = 512 << 10 };

#define LARGEST_INTERVAL (UINT64_C(1) << 40)

static const char *follow_word(size_t index)
{
    static const char *const words[] = { [SESSION_FOLLOW_NONE] = "none",
                                         [SESSION_FOLLOW_FORK] = "fork",
                                         [SESSION_FOLLOW_EXEC] = "exec",
                                         [SESSION_FOLLOW_ALL] = "all",
                                         NULL };

    return words[index];
}

/* --stacks, in the order of help. */
enum { STACKS_ALL, STACKS_CALLER, STACKS_SAMPLED, STACKS_UNSAID };

static const char *stacks_word(size_t index)
{
    static const char *const words[] = { "all", "caller", "sampled", NULL };

    return words[index];
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

static int take_events(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;

    (void)name;
    options->has_events = true;
    options->trace_folder = value;
    return COMMAND_GO_ON;
}

static int take_interval(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;

    options->sample_option = "--interval";
    return parse_bytes(value, &options->settings.sample_interval) &&
                   options->settings.sample_interval >= 1 &&
                   options->settings.sample_interval <= LARGEST_INTERVAL
               ? COMMAND_GO_ON
               : complain_about_value(name, value,
                                      "bytes, such as 524288, 512K or 1M");
}

/* A probability, of which the nearest whole interval is taken. */
static int take_rate(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;
    char *end;
    double rate = strtod(value, &end);

    options->sample_option = "--rate";
    if (end == value || *end != '\0' || !(rate > 0 && rate <= 1) ||
        1 / rate > (double)LARGEST_INTERVAL)
        return complain_about_value(
            name, value, "the probability of a byte, such as 1e-5, up to 1");
    options->settings.sample_interval = (uint64_t)round(1 / rate);
    return COMMAND_GO_ON;
}

static int take_seed(const char *name, const char *value, void *whole)
{
    struct record_options *options = whole;
    char *end;

    options->sample_option = "--seed";
    errno = 0;
    options->settings.sample_seed = strtoumax(value, &end, 10);
    return errno == 0 && *value >= '0' && *value <= '9' && *end == '\0'
               ? COMMAND_GO_ON
               : complain_about_value(name, value, "a whole number");
}

static int take_wait(const char *name, const char *value, void *field)
{
    uint64_t *seconds = field;
    char *end;

    errno = 0;
    *seconds = strtoumax(value, &end, 10);
    if (strcmp(value, "all") == 0 || strcmp(value, "first") == 0)
        *seconds = *value == 'a' ? RECORD_WAIT_ALL : 0;
    else if (*value < '0' || *value > '9' || *end != '\0' || errno != 0 ||
             *seconds > UINT32_MAX)
        return complain_about_value(name, value,
                                    "first, all or a number of seconds");
    return COMMAND_GO_ON;
}

static const struct option_rule rules[] = {
    { "output", 'o', OPTION_NAMES(struct record_options, output) },
    { "stacks", 0, OPTION_WORD(struct record_options, stacks, stacks_word) },
    { "interval", 0, OPTION_TAKES_WHOLE(take_interval) },
    { "rate", 0, OPTION_TAKES_WHOLE(take_rate) },
    { "seed", 0, OPTION_TAKES_WHOLE(take_seed) },
    { "follow", 0,
      OPTION_WORD(struct record_options, settings.follow, follow_word) },
    { "wait", 0, OPTION_TAKES(take_wait, struct record_options, wait) },
    { "trace", 0, OPTION_NAMES(struct record_options, trace_text) },
    { "events", 0, OPTION_MAY_TAKE_WHOLE(take_events) },
    { "sysctl", 0, OPTION_TAKES_WHOLE(take_sysctl) },
    { "quiet", 'q', OPTION_SETS(struct record_options, is_quiet) },
    { NULL, 0, OPTION_END },
};

static const struct option_table table = {
    .command = "record",
    .help = help_record,
    .rules = rules,
    .is_before_program = true,
};

/* What goes together, and what follows from it. */
static int check(struct record_options *options)
{
    struct session_settings *settings = &options->settings;

    if (options->trace_text != NULL && options->has_events)
        return tell_line("record: --trace and --events are two forms of one "
                         "trace; use --events and tally decode");
    if (options->sample_option != NULL && options->stacks != STACKS_SAMPLED)
        return tell_line("record: %s: nothing is sampled; use it with "
                         "--stacks=sampled",
                         options->sample_option);
    if (settings->sample_interval == 0)
        settings->sample_interval = DEFAULT_INTERVAL;
    if (settings->follow == SESSION_FOLLOW_NONE ||
        settings->control == LEDGER_CONTROL_NEVER)
        options->wait = 0; /* there is nothing to wait for */
    /* There are more stacks than 16 bits can name. */
    if (settings->compressed && options->stacks != STACKS_UNSAID &&
        options->stacks != STACKS_CALLER)
        return tell_line("record: compressed references cannot name whole "
                         "stacks; use --stacks=caller, or full references");
    if (settings->compressed || options->stacks == STACKS_CALLER)
        settings->stacks = SESSION_STACKS_CALLER;
    else if (options->stacks == STACKS_SAMPLED)
        settings->stacks = SESSION_STACKS_SAMPLED;
    return COMMAND_GO_ON;
}

int record_options_parse(int argc, char **argv, struct record_options *options)
{
    const char *preset = secure_getenv("TALLY_SYSCTL");
    int status = COMMAND_GO_ON;

    *options = (struct record_options){
        .settings = { .follow = SESSION_FOLLOW_ALL,
                      .stacks = SESSION_STACKS_ALL,
                      .control = LEDGER_CONTROL_ON },
        .stacks = STACKS_UNSAID,
        .wait = RECORD_WAIT_ALL,
    };
    if (preset != NULL && *preset != '\0')
        status = set_sysctl(options, "TALLY_SYSCTL", preset);
    if (status == COMMAND_GO_ON)
        status = options_read(&table, argc, argv, options);
    if (status == COMMAND_GO_ON)
        status = check(options);
    options->program = argv + optind;
    if (status != COMMAND_GO_ON || optind < argc)
        return status;
    return tell_line("record: no program given; try tally record -- PROGRAM");
}
