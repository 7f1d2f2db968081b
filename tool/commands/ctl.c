/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl.c - `tally ctl`: vm.mem_profiling of a running program
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger_layout.h"
#include "tool/commands/command.h"
#include "tool/session/live_ledger.h"

#define NAME "vm.mem_profiling"

static const char help[] =
    "usage: tally ctl PID vm.mem_profiling[=0|1]\n"
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
    "  -h, --help          this text\n"
    "  -V, --version       version of tally and of its ledgers\n"
    "\n"
    "Exit status: 0 done, 1 it cannot be changed, 2 wrong usage or no such\n"
    "recording.\n";

static const struct option long_options[] = {
    { "help", no_argument, NULL, 'h' },
    { "version", no_argument, NULL, 'V' },
    { NULL, 0, NULL, 0 },
};

static int usage(const char *what, const char *why)
{
    fprintf(stderr, "tally: ctl: %s%s; use tally ctl PID " NAME "[=0|1]\n",
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

static int set(const struct live_ledger *ledger, uint32_t wanted)
{
    struct session_failure failure;
    uint32_t control;

    if (live_ledger_get_control(ledger, &control, &failure) < 0)
        return fail(&failure, COMMAND_USAGE);
    if (control == LEDGER_CONTROL_NEVER) {
        fprintf(stderr,
                "tally: %ld: " NAME " is never, which cannot be "
                "undone; record the program again without\n",
                (long)ledger->pid);
        return COMMAND_NO;
    }
    if (live_ledger_set_control(ledger, wanted, &failure) < 0)
        return fail(&failure, COMMAND_USAGE);
    return show(ledger);
}

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

/* 0 with the value, -1 for none, or COMMAND_USAGE. */
static int parse_setting(const char *text, uint32_t *wanted)
{
    size_t length = strlen(NAME);

    if (strncmp(text, NAME, length) != 0 ||
        (text[length] != '\0' && text[length] != '='))
        return usage(text, " is unknown");
    text += length;
    if (*text == '\0')
        return -1;
    if (strcmp(text, "=0") != 0 && strcmp(text, "=1") != 0)
        return usage(text + 1, " is no value of " NAME);
    *wanted = text[1] == '1' ? LEDGER_CONTROL_ON : LEDGER_CONTROL_OFF;
    return 0;
}

int command_ctl(int argc, char **argv)
{
    struct session_failure failure;
    struct live_ledger ledger;
    uint32_t wanted = LEDGER_CONTROL_OFF;
    int option, setting, status;
    pid_t pid;

    opterr = 0;
    while ((option = getopt_long(argc, argv, "+:hV", long_options, NULL)) !=
           -1) {
        if (option == 'h')
            return fputs(help, stdout) < 0 ? COMMAND_USAGE : COMMAND_DONE;
        if (option == 'V')
            return command_version();
        return command_bad_option("ctl", option, argv);
    }
    if (argc - optind != 2)
        return usage("wrong number of arguments", "");
    setting = parse_setting(argv[optind + 1], &wanted);
    if (setting > 0)
        return setting;
    status = parse_pid(argv[optind], &pid);
    if (status != 0)
        return status;
    if (live_ledger_open(pid, &ledger, &failure) < 0)
        return fail(&failure, COMMAND_USAGE);
    status = setting < 0 ? show(&ledger) : set(&ledger, wanted);
    live_ledger_close(&ledger);
    return status;
}
