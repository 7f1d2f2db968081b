/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.c - `tally ctl`: the switches of a running program
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "tool/commands/options/options.h"
#include "tool/session/images/live_ledger.h"

#define NAME     "vm.mem_profiling"
#define PROFILER "memory_profiler"

static const char help[] =
    "usage: tally ctl PID vm.mem_profiling[=0|1]\n"
    "       tally ctl PID memory_profiler[=0|1]\n"
    "\n"
    "Show or set whether the program PID, which runs under tally record or\n"
    "links libtally, adds to its accounts. PID may be that of tally record,\n"
    "too.\n"
    "\n"
    "  vm.mem_profiling=0  new allocations are not recorded; blocks that were\n"
    "                      still leave their accounts when they are freed\n"
    "  vm.mem_profiling=1  they are\n"
    "\n"
    "A program recorded with vm.mem_profiling=never shows 0 and cannot be\n"
    "switched on.\n"
    "\n"
    "memory_profiler is the profiler of stacks, heaps and slabs, of a program\n"
    "that has started it (tally/zpl.h); it looks once in each interval.\n"
    "\n"
    "  -h, --help          this text\n"
    "  -V, --version       version of tally and of its ledgers\n"
    "\n"
    "Exit status: 0 done, 1 it cannot be changed, 2 wrong usage or no such\n"
    "recording.\n";

static const struct option_rule no_rules[] = { { NULL, 0, OPTION_END } };

static const struct option_table table = {
    .command = "ctl",
    .help = help,
    .rules = no_rules,
    .is_before_program = true,
};

static int usage(const char *what, const char *why)
{
    fprintf(stderr,
            "tally: ctl: %s%s; use tally ctl PID " NAME "[=0|1] or " PROFILER
            "[=0|1]\n",
            what, why);
    return COMMAND_USAGE;
}

static int fail(const struct session_failure *failure, int status)
{
    fprintf(stderr, "tally: %s\n", failure->text);
    return status;
}

static int show(const struct live_ledger *ledger)
{
    struct session_failure failure;
    uint32_t control;

    if (live_ledger_get_control(ledger, &control, &failure) < 0)
        return fail(&failure, COMMAND_USAGE);
    printf(NAME " = %d\n", control == LEDGER_CONTROL_ON);
    return COMMAND_DONE;
}

static int set(const struct live_ledger *ledger, bool wants_on)
{
    struct session_failure failure;
    uint32_t control;

    if (live_ledger_get_control(ledger, &control, &failure) < 0)
        return fail(&failure, COMMAND_USAGE);
    if (control == LEDGER_CONTROL_NEVER) {
        fprintf(stderr,
                "tally: %ld: " NAME " is never, which cannot be "
                "undone; start the program again without\n",
                (long)ledger->pid);
        return COMMAND_NO;
    }
    control = wants_on ? LEDGER_CONTROL_ON : LEDGER_CONTROL_OFF;
    if (live_ledger_set_control(ledger, control, &failure) < 0)
        return fail(&failure, COMMAND_USAGE);
    return show(ledger);
}

static int show_profiler(const struct live_ledger *ledger)
{
    struct session_failure failure;
    uint32_t profiler;

    if (live_ledger_get_profiler(ledger, &profiler, &failure) < 0)
        return fail(&failure, COMMAND_USAGE);
    printf(PROFILER " = %d\n", profiler == LEDGER_PROFILER_ON);
    return COMMAND_DONE;
}

static int set_profiler(const struct live_ledger *ledger, bool wants_on)
{
    struct session_failure failure;
    uint32_t profiler;

    if (live_ledger_get_profiler(ledger, &profiler, &failure) < 0)
        return fail(&failure, COMMAND_USAGE);
    if (profiler == LEDGER_PROFILER_NONE) {
        fprintf(stderr,
                "tally: %ld: it has no " PROFILER "; the program starts one "
                "with tally_zpl_start() or TALLY_ZPL\n",
                (long)ledger->pid);
        return COMMAND_NO;
    }
    profiler = wants_on ? LEDGER_PROFILER_ON : LEDGER_PROFILER_OFF;
    if (live_ledger_set_profiler(ledger, profiler, &failure) < 0)
        return fail(&failure, COMMAND_USAGE);
    return show_profiler(ledger);
}

static const struct switch_row {
    const char *name;
    int (*show)(const struct live_ledger *ledger);
    int (*set)(const struct live_ledger *ledger, bool wants_on);
} switches[] = {
    { NAME, show, set },
    { PROFILER, show_profiler, set_profiler },
};

/* 0 with the pid, or COMMAND_USAGE. */
static int parse_pid(const char *text, pid_t *pid)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || value < 1 ||
        value > INT32_MAX)
        return usage(text, " is not a process number");
    *pid = (pid_t)value;
    return 0;
}

/* What is asked of which switch. */
struct setting {
    const struct switch_row *row;
    bool is_wanted; /* a value stands behind the name */
    bool wants_on;
};

/* 0, or COMMAND_USAGE. */
static int parse_setting(const char *text, struct setting *setting)
{
    size_t length = strcspn(text, "=");
    char why[64];

    *setting = (struct setting){ .row = NULL };
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (strlen(switches[i].name) == length &&
            strncmp(text, switches[i].name, length) == 0)
            setting->row = &switches[i];
    }
    if (setting->row == NULL)
        return usage(text, " is unknown");
    text += length;
    if (*text == '\0')
        return 0;
    if (strcmp(text, "=0") != 0 && strcmp(text, "=1") != 0) {
        snprintf(why, sizeof why, " is no value of %s", setting->row->name);
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
    pid_t pid;

    status = options_read(&table, argc, argv, NULL);
    if (status != COMMAND_GO_ON)
        return status;
    if (argc - optind != 2)
        return usage("wrong number of arguments", "");
    status = parse_setting(argv[optind + 1], &setting);
    if (status != 0)
        return status;
    status = parse_pid(argv[optind], &pid);
    if (status != 0)
        return status;
    if (live_ledger_open(pid, &ledger, &failure) < 0)
        return fail(&failure, COMMAND_USAGE);
    status = setting.is_wanted ? setting.row->set(&ledger, setting.wants_on)
                               : setting.row->show(&ledger);
    live_ledger_close(&ledger);
    return status;
}
