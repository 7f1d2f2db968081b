/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.c - `tally ctl`: switch the recording of a running program
 */
#include "tool/commands/options/command.h"
#include "tool/session/images/images.h"

#define NAME     "vm.mem_profiling"
#define PROFILER "memory_profiler"

static const struct option_rule no_rules[] = { { 0 } };

static const char *const setting_names[] = { NAME "=0", NAME "=1",
                                             PROFILER "=0", PROFILER "=1" };
static const struct word_list setting_words = WORDS(setting_names);

static const struct option_table table = {
    .command = "ctl",
    .help = help_ctl,
    .arguments = ARGUMENT_PROCESS,
    .settings = &setting_words,
    .rules = no_rules,
    .is_before_program = true,
};

static int usage(const char *what, const char *why)
{
    return tell_line("ctl: %s%s; use tally ctl PID " NAME "[=0|1] or " PROFILER
                     "[=0|1]",
                     what, why);
}

static const struct switch_row {
    const char *name;
    size_t at; /* offset of its word in the ledger's header */
    uint32_t on, off;
    uint32_t fixed; /* unchangeable value, and the reason */
    const char *why;
} switches[] = {
    { NAME, offsetof(struct ledger_header, control), LEDGER_CONTROL_ON,
      LEDGER_CONTROL_OFF, LEDGER_CONTROL_NEVER,
      NAME " is never, which cannot be undone; start the program again "
           "without" },
    { PROFILER, offsetof(struct ledger_header, memory_profiler),
      LEDGER_PROFILER_ON, LEDGER_PROFILER_OFF, LEDGER_PROFILER_NONE,
      "it has no " PROFILER "; the program starts one with tally_zpl_start() "
      "or TALLY_ZPL" },
};

/* Requested switch and value. */
struct setting {
    const struct switch_row *row;
    bool is_wanted; /* a value follows the name */
    bool wants_on;
};

/* Set the switch if a value is given, and show it. */
static int run(const struct live_ledger *ledger, const struct setting *setting)
{
    const struct switch_row *row = setting->row;
    struct session_failure failure;
    uint32_t value = row->fixed;

    if (live_ledger_get(ledger, row->at, &value, &failure) < 0)
        return tell_line("%s", failure.text);
    if (setting->is_wanted && value == row->fixed) {
        tell_line("%ld: %s", (long)ledger->pid, row->why);
        return COMMAND_NO;
    }
    if (setting->is_wanted &&
        (live_ledger_set(ledger, row->at,
                         setting->wants_on ? row->on : row->off,
                         &failure) < 0 ||
         live_ledger_get(ledger, row->at, &value, &failure) < 0))
        return tell_line("%s", failure.text);
    printf("%s = %d\n", row->name, value == row->on);
    return COMMAND_DONE;
}

/* Parse NAME or NAME=VALUE; return 0 or COMMAND_USAGE. */
static int parse_setting(const char *text, struct setting *setting)
{
    const struct word_list known = WORDS(switches);
    size_t length = strcspn(text, "=");
    char name[64], near[NEAR_SIZE], why[NEAR_SIZE + 16];

    *setting = (struct setting){ .row = NULL };
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (strlen(switches[i].name) == length &&
            strncmp(text, switches[i].name, length) == 0)
            setting->row = &switches[i];
    }
    if (setting->row == NULL) {
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        snprintf(why, sizeof why, " is unknown%s",
                 near_note(near, &known, name));
        return usage(text, why);
    }
    text += length;
    if (*text == '\0')
        return 0;
    if (strcmp(text, "=0") != 0 && strcmp(text, "=1") != 0) {
        snprintf(why, sizeof why, " is not a value of %s", setting->row->name);
        return usage(text + 1, why);
    }
    setting->is_wanted = true;
    setting->wants_on = text[1] == '1';
    return 0;
}

int command_ctl(int argc, char **argv)
{
    struct session_failure failure;
    struct live_ledger ledger;
    struct setting setting;
    int status;
    uint64_t pid;

    status = options_read(&table, argc, argv, NULL);
    if (status != COMMAND_GO_ON)
        return status;
    if (argc - optind != 2)
        return usage("wrong number of arguments", "");
    if (!parse_count(argv[optind], INT32_MAX, &pid) || pid == 0)
        return usage(argv[optind], " is not a process ID");
    status = parse_setting(argv[optind + 1], &setting);
    if (status != 0)
        return status;
    if (live_ledger_open((pid_t)pid, &ledger, &failure) < 0)
        return tell_line("%s", failure.text);
    status = run(&ledger, &setting);
    live_ledger_close(&ledger);
    return status;
}
