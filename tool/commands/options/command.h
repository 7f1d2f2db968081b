/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - commands, their options and messages */
#pragma once

#include <getopt.h>

#include "tool/model/names/site_choice.h"
#include "tool/model/trace/trace_figures.h"

/*
 * Declarations of all commands
 *
 * To add a command: write tool/commands/NAME.c with its command_NAME and
 * tool/commands/help/NAME.help, declare both here, name the command in the
 * table of tool/main.c and in tally.help, and NAME.help in tool/CMakeLists.txt.
 */

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

/*
 * Error messages and notes of commands
 *
 *     tally: WHAT: WHY; WHAT TO DO
 *
 * All go to stderr, escaped for a terminal. Each complaint returns
 * COMMAND_USAGE.
 */

/* Print "tally: " and the formatted line; return COMMAND_USAGE. */
__attribute__((format(printf, 1, 2))) int tell_line(const char *format, ...);

/* Print no more lines: errors are reported elsewhere. */
void tell_nothing(void);

/* Quote a word for the shell, escaped for a terminal; a file is then neither an
   option nor a pid. The caller frees it. */
char *shell_word(const char *word, bool is_file);

/* Print "tally: WHAT: tally report FILE", with the name quoted for the
   shell. */
void tell_report(const char *what, const char *file);

int complain(const char *what, const char *why, const char *advice);
int complain_about_source(const char *name,
                          const struct source_failure *failure);

/* Complain about a value of an option: "--stacks=every: unknown value; use
   caller, all or sampled". With words, also suggest near ones. */
int complain_about_value(const char *option, const char *value,
                         const char *known);
int complain_about_near(const char *option, const char *word,
                        const struct word_list *words, const char *known);
int complain_about_word(const char *option, const char *word,
                        const struct word_list *known);

/* Complain that the source lacks the measure that `option` asked for. `others`
   is the advice where totals are missing. */
int complain_about_measure(const char *option, const struct profile *profile,
                           enum measure measure, const char *others);

/* Complain about an output, by errno. */
int complain_about_output(const char *path);

/* Check, before long work, that files can be made there and, unless
   `is_forced`, that `path` does not exist. Return COMMAND_GO_ON, or
   COMMAND_USAGE after a complaint. */
int refuse_taken(bool is_forced, const char *path);

/* With `is_forced`, remove former output at `path` unless it is the file `read`
   (files.h). Return COMMAND_GO_ON, or COMMAND_USAGE after a
   complaint. */
int make_way(bool is_forced, const char *path, const char *read);

/*
 * Print what the output has no place for: a line if numbers are estimates from
 * samples; lines if events were lost or not recorded.
 */
void note_sampling(const char *source, const struct profile *profile);
void note_losses(const char *source, const struct profile *profile);

/*
 * Tables of options, and the options that several commands share
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

/*
 * Store the value of the option `name`, such as "--elf", in `field`; NULL: no
 * value. Return COMMAND_GO_ON or the command's exit status.
 */
typedef int option_take_fn(const char *name, const char *value, void *field);

/* Parse a number, as parse_bytes() does. */
typedef bool option_parse_fn(const char *text, uint64_t *number);
option_parse_fn option_parse_count;

#define OPTION_BYTES     "bytes such as " PARSE_BYTES_EXAMPLES
#define OPTION_DURATIONS "a time such as " PARSE_DURATION_EXAMPLES

struct option_rule {
    const char *name; /* without "--"; NULL: end of the list */
    char letter;      /* 0: none */
    bool has_value;
    bool is_optional;              /* the value may be left out: NULL */
    bool is_of_sites;              /* refused for traces of regions */
    size_t field;                  /* offset in the command's options */
    const struct word_list *words; /* by number; with `take`: examples */
    option_take_fn *take;   /* NULL: the field is a bool, or a string of argv */
    option_parse_fn *parse; /* the field is a uint64_t; NULL: it is none */
    uint64_t least, most;   /* its range */
    const char *known;      /* its values, in complaints */
    unsigned group;         /* private, as is `filter` */
    uint64_t filter;
};

#define OPTION_SETS(type, member)  .field = offsetof(type, member)
#define OPTION_NAMES(type, member) .has_value = true, OPTION_SETS(type, member)
#define OPTION_WORD(type, member, list) \
    .words = &(list), OPTION_NAMES(type, member)
#define OPTION_TAKES(taker, type, member) \
    .take = taker, OPTION_NAMES(type, member)
#define OPTION_NUMBER(type, member, parser, low, high, values)            \
    .parse = (parser), .least = (low), .most = (high), .known = (values), \
    OPTION_NAMES(type, member)
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

/* Note names of options that match no call */

/* Print a line for each glob that matches no call and, if no row of any source
   is left, for each other name without a match, with near names. Return true if
   that is why no row is left. */
bool note_unknown_names(const struct source_options *options,
                        const struct named_profile *sources, size_t count);

/* Return true if a call matches the glob; otherwise write near names to
   `note`. */
bool glob_is_known(const char *glob, const struct named_profile *sources,
                   size_t count, char note[NEAR_SIZE]);
