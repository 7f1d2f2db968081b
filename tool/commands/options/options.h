/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - a command's options as a table, and those that several commands
 * have: which rows of a source, where names are found, which program wrote a
 * trace
 *
 *     struct diff_options {
 *         struct source_options of; // the first member, if any are shared
 *         bool is_json;
 *         unsigned color;
 *         const char *elf;
 *     } options = { 0 };
 *     static const struct option_rule rules[] = {
 *         { "json", OPTION_SETS(struct diff_options, is_json) },
 *         { "elf", OPTION_NAMES(struct diff_options, elf) },
 *         { "color", OPTION_WORD(struct diff_options, color, words) },
 *         { "to", OPTION_TAKES(take_to, struct diff_options, format) },
 *         { 0 },
 *     };
 *     static const struct option_table table = {
 *         .command = "diff", .help = help_diff, .rules = rules,
 *         .shared = OPTIONS_NAMES | OPTIONS_SYMBOLS,
 *     };
 *
 *     status = options_read(&table, argc, argv, &options);
 *
 * Every command has -h, --help and -V, --version besides. What is left of argv
 * begins at `optind`.
 */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/commands/options/complaint.h"
#include "tool/model/names/choose.h"
#include "tool/model/profile/history.h"
#include "tool/model/trace/caller_modules.h"
#include "tool/model/trace/trace_names.h"

/*
 * Take the value of the option `name`, "--elf", or NULL of one that has none,
 * into `field`. COMMAND_GO_ON, or how the command ends.
 */
typedef int option_take_fn(const char *name, const char *value, void *field);

struct option_rule {
    const char *name; /* without "--"; NULL: the end */
    char letter;      /* 0: it has none */
    bool has_value;
    bool is_optional;              /* the value; left out it is NULL */
    bool is_of_sites;              /* traces of regions do not take it */
    size_t field;                  /* where in the command's options */
    const struct word_list *words; /* the field is the number of one of these;
                                      with `take`, such as it takes */
    option_take_fn *take; /* NULL: the field is a bool, or a string of argv */
    unsigned group;       /* private, as is `filter` */
    uint64_t filter;
};

#define OPTION_SETS(type, member)  .field = offsetof(type, member)
#define OPTION_NAMES(type, member) .has_value = true, OPTION_SETS(type, member)
#define OPTION_WORD(type, member, list) \
    .words = &(list), OPTION_NAMES(type, member)
#define OPTION_TAKES(taker, type, member) \
    .take = taker, OPTION_NAMES(type, member)
#define OPTION_TAKES_WHOLE(taker) \
    .take = taker, .has_value = true /* `field` is all */
#define OPTION_CALLS_WHOLE(taker) .take = taker
#define OPTION_MAY_TAKE_WHOLE(taker) \
    .is_optional = true, OPTION_TAKES_WHOLE(taker)
#define OPTION_OF_SITES .is_of_sites = true

/*
 * Options that cannot be given together. Each of `options` excludes each of
 * `others`; both are names with spaces between, without "--". "sum=module"
 * stands for --sum with a value that begins with "module". An option does not
 * exclude itself.
 */
struct option_conflict {
    const char *options, *others; /* NULL: end of the list */
    const char *why, *advice;
};

/* Each of `options` needs one of `others`, in lists as above. */
struct option_need {
    const char *options, *others; /* NULL: end of the list */
};

/* Groups of options that several commands have. */
enum shared_options {
    OPTIONS_NAMES = 1 << 0, /* --file, --function, --module, --line,
                               --inaccurate */
    OPTIONS_SIZES = 1 << 1, /* --min-size, --max-size */
    OPTIONS_SUM = 1 << 2,
    OPTIONS_TOP = 1 << 3,
    OPTIONS_ALL = 1 << 4,      /* --all, --kind */
    OPTIONS_SYMBOLS = 1 << 5,  /* --sysroot, --debuginfod */
    OPTIONS_METADATA = 1 << 6, /* kept by trace_metadata_give() */
    OPTIONS_ELF = 1 << 7,      /* --elf, --load-address */
    OPTIONS_AT = 1 << 8,
    OPTIONS_BLAME = 1 << 9,    /* --hide, --focus, --leaf */
    OPTIONS_KIND = 1 << 10,    /* --kind alone */
    OPTIONS_PROCESS = 1 << 11, /* --process, --all */
    OPTIONS_PROJECT = 1 << 12, /* none, but what .tally.yaml hides */
};

/* What is named behind the options. */
enum option_arguments {
    ARGUMENT_FILE = 1 << 0,
    ARGUMENT_PROCESS = 1 << 1,
    ARGUMENT_PROGRAM = 1 << 2, /* with its arguments */
    ARGUMENT_RUNNING = 1 << 3, /* a process that need not be recorded */
};

struct option_table {
    const char *command;
    const char *help;
    unsigned arguments;               /* of enum option_arguments */
    const struct word_list *actions;  /* the first argument; or NULL */
    const struct word_list *settings; /* the second argument; or NULL */
    unsigned shared; /* of enum shared_options; with them the command's options
                        begin with struct source_options */
    const struct option_rule *rules; /* at most OPTION_LIMIT with those */
    const struct option_conflict
        *excludes;                   /* beside the shared ones; or NULL */
    const struct option_need *needs; /* or NULL */
    bool is_before_program;          /* options end at the first other word */
    void (*more_help)(void);         /* NULL: `help` is all */
};

enum { OPTION_LIMIT = 48 };

/* COMMAND_GO_ON, or how the command ends: after help, or a complaint. */
int options_read(const struct option_table *table, int argc, char **argv,
                 void *options);

/* The table that a command reads its options by; it does nothing else then. */
const struct option_table *options_of(const struct command *command);

/* Fill `rules` with the shared rules and the table's own; return the count. */
size_t options_rules(const struct option_table *table,
                     const struct option_rule *rules[OPTION_LIMIT]);

/*
 * The one word that is left, `what` it is, into `*name`. COMMAND_GO_ON, or
 * COMMAND_USAGE after a complaint.
 */
int options_take_one(const struct option_table *table, const char *what,
                     int argc, char **argv, const char **name);

/* Which program wrote a trace. */
struct elf_option {
    const char *path; /* of a program or a ledger; NULL: not named */
    bool has_load_address;
    uint64_t load_address;
};

struct source_options {
    struct site_choice choice;
    size_t row_limit; /* rows that are shown; SIZE_MAX: all */
    bool has_row_limit;
    bool has_all;
    const char *process; /* --process, or NULL */
    unsigned kinds;      /* as struct profile has them */
    struct elf_option elf;
    struct history_wish at;
    bool asks_rows;       /* for some, or their order: names of files aside */
    const char *of_sites; /* the last that traces of regions do not take, or
                             NULL */
};

/* Into the number of result_forms[]: the same as --format=json. */
#define OPTION_JSON(type, member) \
    .take = option_take_json, OPTION_SETS(type, member)
option_take_fn option_take_json;

/* "64K", into a uint64_t. */
option_take_fn option_take_bytes;

/* Into a struct elf_option, and a struct history_wish. */
option_take_fn elf_option_take_load_address;
option_take_fn history_option_take;

/* The program's file; NULL: none is named, or a ledger, which knows no
   variables. */
const char *elf_option_program(const struct elf_option *elf);

/*
 * Add the program that is named, or else the ledger beside the trace, or the
 * program that the trace names; what is not said of where it was loaded, the
 * trace may say. COMMAND_DONE, also without a program, or COMMAND_USAGE after a
 * complaint.
 */
int elf_option_add(const struct elf_option *elf,
                   const struct trace_program *program,
                   struct caller_modules *modules);
