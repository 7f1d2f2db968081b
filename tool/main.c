/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the tally command: find the command in the table, run it
 */
#include <errno.h>

#include "tool/commands/options/command.h"
#include "tool/render/render.h"

static const struct command commands[] = {
    { "record", command_record, false },
    { "attach", command_attach, false },
    { "detach", command_detach, false },
    { "report", command_report, true },
    { "snapshot", command_snapshot, false },
    { "top", command_top, false },
    { "diff", command_diff, true },
    { "export", command_export, false },
    { "view", command_view, false },
    { "serve", command_serve, false },
    { "push", command_push, false },
    { "check", command_check, true },
    { "store", command_store, true },
    { "allocinfo", command_allocinfo, true },
    { "capture", command_capture, false },
    { "decode", command_decode, false },
    { "ctl", command_ctl, false },
};

static const struct word_list names = WORDS(commands);
static const char *const option_names[] = { "--help", "--version",
                                            "--no-pager" };
static const struct word_list options = WORDS(option_names);

/* Complain about an unknown command. */
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

/* Remove "--no-pager" from the arguments from `first` to `last`; return true if
   it was there. */
static bool takes_no_pager(int *argc, char **argv, int first, int last)
{
    for (int i = first; i < *argc && i <= last; i++) {
        if (strcmp(argv[i], option_names[2]) == 0) {
            memmove(argv + i, argv + i + 1, (size_t)(*argc - i) * sizeof *argv);
            --*argc;
            return true;
        }
    }
    return false;
}

static int run(int argc, char **argv)
{
    static struct memory_use use = { .purpose = "" };
    static char help[] = "--help";
    bool is_plain = takes_no_pager(&argc, argv, 1, 1);
    int command;

    if (argc < 2) {
        fputs("tally: no command given; see tally --help\n", stderr);
        return COMMAND_USAGE;
    }
    if (argc > 2 && strcmp(argv[1], "help") == 0) {
        argv[1] = argv[2];
        argv[2] = help;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        fputs(help_tally, stdout);
        return COMMAND_DONE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "version") == 0)
        return command_version();

    if (strcmp(argv[1], "completion") == 0)
        return command_completion(argc - 1, argv + 1, &names);
    command = words_find(&names, argv[1]);
    if (command < 0)
        return refuse(argv[1]);
    if (argc == 3 && strcmp(argv[2], "--version") == 0)
        return command_version();
    if (commands[command].is_paged && !takes_no_pager(&argc, argv, 2, argc) &&
        !is_plain)
        terminal_hold();
    use.what = commands[command].name;
    memory_use(&use);
    return commands[command].run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);

    if (fflush(stdout) != 0 || ferror(stdout) || terminal_release() != 0) {
        fprintf(stderr, "tally: standard output: %s; the output is truncated\n",
                strerror(errno));
        if (status == COMMAND_DONE)
            status = COMMAND_USAGE;
    }
    return status;
}
