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
#include "tool/text/near.h"

static const struct command commands[] = {
    { "record", command_record },     { "report", command_report },
    { "snapshot", command_snapshot }, { "top", command_top },
    { "diff", command_diff },         { "export", command_export },
    { "check", command_check },       { "allocinfo", command_allocinfo },
    { "capture", command_capture },   { "decode", command_decode },
    { "ctl", command_ctl },
};

static const struct word_list names = WORDS(commands);
static const char *const option_names[] = { "--help", "--version" };
static const struct word_list options = WORDS(option_names);

/* One that is in no table. */
static int refuse(const char *name)
{
    char known[WORDS_SIZE];
    char near[NEAR_SIZE];

    if (name[0] == '-')
        return tell_line("%.200s: unknown option%s; see tally --help", name,
                         near_note(near, &options, name));
    words_print(known, &names);
    return tell_line("%.200s: unknown command%s; use %s", name,
                     near_note(near, &names, name), known);
}

static int run(int argc, char **argv)
{
    static struct memory_use use = { .purpose = "" };
    int command;

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

    if (strcmp(argv[1], "completion") == 0)
        return command_completion(argc - 1, argv + 1, &names);
    command = words_find(&names, argv[1]);
    if (command < 0)
        return refuse(argv[1]);
    if (argc == 3 && strcmp(argv[2], "--version") == 0)
        return command_version();
    use.what = commands[command].name;
    memory_use(&use);
    return commands[command].run(argc - 1, argv + 1);
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
