/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - tables of options, and the options that several commands share
 *
 *     struct diff_options {
 *         struct source_options of; // first member, if any are shared
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
 * Every command also has -h, --help and -V, --version. The arguments behind the
 * options begin at `optind`.
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
 * Store the value of the option `name`, such as "--elf", in `field`; NULL: no
 * value. Return COMMAND_GO_ON or the command's exit status.
 */
typedef int option_take_fn(const char *name, const char *value, void *field);

struct option_rule {
    const char *name; /* without "--"; NULL: end of the list */
    char letter;      /* 0: none */
    bool has_value;
    bool is_optional;              /* the value may be left out: NULL */
    bool is_of_sites;              /* refused for traces of regions */
    size_t field;                  /* offset in the command's options */
    const struct word_list *words; /* by number; with `take`: examples */
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
    OPTIONS_METADATA = 1 << 6, /* passed to trace_metadata_give() */
    OPTIONS_ELF = 1 << 7,      /* --elf, --load-address */
    OPTIONS_AT = 1 << 8,
    OPTIONS_BLAME = 1 << 9,    /* --hide, --focus, --leaf */
    OPTIONS_KIND = 1 << 10,    /* --kind alone */
    OPTIONS_PROCESS = 1 << 11, /* --process, --all */
    OPTIONS_PROJECT = 1 << 12, /* no option: reads .tally.yaml */
};

/* Arguments behind the options. */
enum option_arguments {
    ARGUMENT_FILE = 1 << 0,
    ARGUMENT_PROCESS = 1 << 1,
    ARGUMENT_PROGRAM = 1 << 2, /* and its arguments */
    ARGUMENT_RUNNING = 1 << 3, /* process that need not be recorded */
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

/* Read the options. Return COMMAND_GO_ON, or the exit status after help or a
   complaint. */
int options_read(const struct option_table *table, int argc, char **argv,
                 void *options);

/* Return a command's option table without running the command. */
const struct option_table *options_of(const struct command *command);

/* Fill `rules` with the shared rules and the table's own; return the count. */
size_t options_rules(const struct option_table *table,
                     const struct option_rule *rules[OPTION_LIMIT]);

/*
 * Store the only argument in `*name`; `what` names it in complaints. Return
 * COMMAND_GO_ON, or COMMAND_USAGE after a complaint.
 */
int options_take_one(const struct option_table *table, const char *what,
                     int argc, char **argv, const char **name);

/* Program that wrote a trace. */
struct elf_option {
    const char *path; /* program or ledger; NULL: not given */
    bool has_load_address;
    uint64_t load_address;
};

struct source_options {
    struct site_choice choice;
    size_t row_limit; /* rows shown; SIZE_MAX: all */
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

/* Set the number in result_forms[], as --format=json does. */
#define OPTION_JSON(type, member) \
    .take = option_take_json, OPTION_SETS(type, member)
option_take_fn option_take_json;

/* Parse "64K" into a uint64_t. */
option_take_fn option_take_bytes;

/* Parse into a struct elf_option, and a struct history_wish. */
option_take_fn elf_option_take_load_address;
option_take_fn history_option_take;

/* Return the program's file; NULL if none is given, or a ledger, which has no
   variables. */
const char *elf_option_program(const struct elf_option *elf);

/*
 * Add the given program, else the ledger beside the trace, else the program
 * that the trace names. The load address comes from the option, else from the
 * trace. Return COMMAND_DONE, also without a program, or COMMAND_USAGE after a
 * complaint.
 */
int elf_option_add(const struct elf_option *elf,
                   const struct trace_program *program,
                   struct caller_modules *modules);
