/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - declarations of all commands
 *
 * To add a command: write tool/commands/NAME.c with its command_NAME and
 * tool/commands/help/NAME.help, declare both here, name the command in the
 * table of tool/main.c and in tally.help, and NAME.help in tool/CMakeLists.txt.
 */
#pragma once

#include <stdbool.h>

/* Exit status of a command. */
enum command_exit {
    COMMAND_GO_ON = -1, /* not ended: go on */
    COMMAND_DONE = 0,
    COMMAND_NO = 1,    /* a check failed */
    COMMAND_USAGE = 2, /* wrong usage or unreadable input */
};

struct command {
    const char *name;
    /* Run with argv[0] = the command's name; return the exit status. */
    int (*run)(int argc, char **argv);
    bool is_paged; /* use a pager */
};

int command_record(int argc, char **argv);
int command_attach(int argc, char **argv);
int command_detach(int argc, char **argv);
int command_report(int argc, char **argv);
int command_top(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_check(int argc, char **argv);
int command_export(int argc, char **argv);
int command_allocinfo(int argc, char **argv);
int command_ctl(int argc, char **argv);
int command_decode(int argc, char **argv);
int command_capture(int argc, char **argv);
int command_snapshot(int argc, char **argv);
int command_view(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_store(int argc, char **argv);
int command_push(int argc, char **argv);

/* Run `tally completion`, for shells; `commands` is a list of struct
   command. */
struct word_list;
int command_completion(int argc, char **argv, const struct word_list *commands);
extern const char completion_bash[], completion_zsh[], completion_fish[];

/* Texts of --help: help/NAME.help, embedded by the build. */
extern const char help_tally[], help_record[], help_attach[], help_detach[],
    help_report[], help_top[], help_diff[], help_check[], help_export[],
    help_allocinfo[], help_capture[], help_decode[], help_ctl[],
    help_snapshot[], help_view[], help_serve[], help_store[], help_push[];

/* Print the version; return COMMAND_DONE. */
int command_version(void);
