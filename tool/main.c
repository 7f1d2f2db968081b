/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the tally command: find the command in the table, run it
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tool/commands/options/command.h"
#include "tool/commands/options/complaint.h"

static const struct command commands[] = {
    { "record", "run a program and keep the accounts of its memory",
      command_record },
    { "report", "show who holds memory and who ever asked for any",
      command_report },
    { "top", "watch the accounts of a running program", command_top },
    { "diff", "show what grew from one account to another", command_diff },
    { "export", "write accounts for another's viewer", command_export },
    { "allocinfo", "print accounts in the text format of /proc/allocinfo",
      command_allocinfo },
    { "capture", "keep the trace that a program sends", command_capture },
    { "decode", "print the memory events of a trace", command_decode },
    { "ctl", "switch the accounts of a running program on or off",
      command_ctl },
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static int print_help(void)
{
    puts("usage: tally COMMAND [OPTION]... [ARGUMENT]...\n"
         "\n"
         "Exact accounts of a program's memory, by the place that asked for "
         "it.\n"
         "\n"
         "Commands:");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    puts(
        "\n"
        "  tally COMMAND --help     what a command takes\n"
        "  tally --version          version of tally and of its ledgers\n"
        "\n"
        "Begin with:\n"
        "  tally record -- PROGRAM ARGUMENTS...\n"
        "  tally report PROGRAM.PID.tally\n"
        "\n"
        "A program is recorded from its start; attaching to one that was not\n"
        "started under tally record is not supported.\n"
        "\n"
        "Exit status: 0 done, 1 the answer is no, 2 wrong usage or unreadable\n"
        "input. tally record ends as the program ended.");
    return COMMAND_DONE;
}

static const char *command_name(size_t index)
{
    return index < COMMAND_COUNT ? commands[index].name : NULL;
}

/* One that is in no table. */
static int refuse(const char *name)
{
    char known[KNOWN_WORDS_SIZE];
    char advice[KNOWN_WORDS_SIZE + 8];

    if (name[0] == '-')
        return complain(name, "unknown option", "see tally --help");
    known_words_list(known, command_name);
    snprintf(advice, sizeof advice, "use %s", known);
    return complain(name, "unknown command", advice);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int run(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2) {
        fputs("tally: no command given; see tally --help\n", stderr);
        return COMMAND_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (strcmp(argv[1], "help") == 0 && argc == 2))
        return print_help();
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return command_version();

    command = find_command(argv[1]);
    if (command == NULL)
        return refuse(argv[1]);
    if (argc == 3 && strcmp(argv[2], "--version") == 0)
        return command_version();
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);

    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "tally: standard output: %s; the output is cut short\n",
                strerror(errno));
        if (status == COMMAND_DONE)
            status = COMMAND_USAGE;
    }
    return status;
}
