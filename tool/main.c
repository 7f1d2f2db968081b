/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the tally command: find the command in the table, run it
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tool/commands/options/command.h"
#include "tool/commands/options/complaint.h"
#include "tool/tables/memory.h"

static const struct command commands[] = {
    { "record", command_record },   { "report", command_report },
    { "top", command_top },         { "diff", command_diff },
    { "export", command_export },   { "allocinfo", command_allocinfo },
    { "capture", command_capture }, { "decode", command_decode },
    { "ctl", command_ctl },
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

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
    static struct memory_use use = { .purpose = "" };
    const struct command *command;

    if (argc < 2) {
        fputs("tally: no command given; see tally --help\n", stderr);
        return COMMAND_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (strcmp(argv[1], "help") == 0 && argc == 2)) {
        fputs(help_tally, stdout);
        return COMMAND_DONE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return command_version();

    command = find_command(argv[1]);
    if (command == NULL)
        return refuse(argv[1]);
    if (argc == 3 && strcmp(argv[2], "--version") == 0)
        return command_version();
    use.what = command->name;
    memory_use(&use);
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
