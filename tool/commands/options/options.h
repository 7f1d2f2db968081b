/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - a command's options as a table
 *
 *     static const struct option_rule rules[] = {
 *         { "json", 0, OPTION_SETS(struct decode_options, is_json) },
 *         { "elf", 0, OPTION_NAMES(struct decode_options, elf) },
 *         { "color", 0, OPTION_WORD(struct decode_options, color, words) },
 *         { "to", 0, OPTION_TAKES(take_to, struct decode_options, format) },
 *         { NULL, 0, OPTION_END },
 *     };
 *     static const struct option_table table = { "decode", help, rules };
 *
 *     status = options_read(&table, argc, argv, &options);
 *     if (status != COMMAND_GO_ON)
 *         return status;
 *
 * Every command has -h, --help and -V, --version besides. What is left of argv
 * begins at `optind`.
 */
#ifndef TALLY_TOOL_COMMANDS_OPTIONS_H
#define TALLY_TOOL_COMMANDS_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "tool/commands/options/complaint.h"

/*
 * Take the value of the option `name`, "--elf", or NULL of one that has none,
 * into `field`. COMMAND_GO_ON, or how the command ends.
 */
typedef int option_take_fn(const char *name, const char *value, void *field);

struct option_rule {
    const char *name; /* without "--"; NULL: the end */
    char letter;      /* 0: it has none */
    bool has_value;
    size_t field;           /* where in the command's options */
    option_take_fn *take;   /* NULL: the field is a bool, or a string of argv */
    bool is_optional;       /* the value may be left out, and is NULL then */
    known_word_fn *word_at; /* the field is the number of one of these words */
};

#define OPTION_SETS(type, member) \
    false, offsetof(type, member), NULL, false, NULL
#define OPTION_NAMES(type, member) \
    true, offsetof(type, member), NULL, false, NULL
#define OPTION_WORD(type, member, word_at) \
    true, offsetof(type, member), NULL, false, word_at
#define OPTION_TAKES(take, type, member) \
    true, offsetof(type, member), take, false, NULL
#define OPTION_CALLS(take, type, member) \
    false, offsetof(type, member), take, false, NULL
#define OPTION_TAKES_WHOLE(take) true, 0, take, false, NULL /* `field` is all */
#define OPTION_CALLS_WHOLE(take) false, 0, take, false, NULL
/* --name or --name=VALUE; of WHOLE, `field` is all */
#define OPTION_MAY_TAKE(take, type, member) \
    true, offsetof(type, member), take, true, NULL
#define OPTION_MAY_TAKE_WHOLE(take) true, 0, take, true, NULL
#define OPTION_END                  false, 0, NULL, false, NULL

struct option_table {
    const char *command;
    const char *help;
    const struct option_rule *rules; /* at most OPTION_LIMIT */
    bool is_before_program;          /* options end at the first other word */
    void (*more_help)(void);         /* NULL: `help` is all */
    /* Told of each option that was given; or NULL. */
    void (*note)(const struct option_rule *rule, void *options);
};

enum { OPTION_LIMIT = 30 };

/* Whether `rule` stands in the table from the one called `first` on. */
bool option_is_from(const struct option_rule *rules, const char *first,
                    const struct option_rule *rule);

/* COMMAND_GO_ON, or how the command ends: after help, or a complaint. */
int options_read(const struct option_table *table, int argc, char **argv,
                 void *options);

/*
 * The one word that is left, `what` it is, into `*name`. COMMAND_GO_ON, or
 * COMMAND_USAGE after a complaint.
 */
int options_take_one(const struct option_table *table, const char *what,
                     int argc, char **argv, const char **name);

/* `--top`: how many rows are shown; SIZE_MAX: all. */
struct option_rows {
    size_t limit;
    bool is_given;
};

option_take_fn option_take_rows;

#endif /* TALLY_TOOL_COMMANDS_OPTIONS_H */
