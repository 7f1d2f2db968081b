/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - getopt_long() over tables; see command.h
 *
 * This file is long because each shared option's value is taken here, with its
 * complaint.
 */
#include "tool/commands/options/command.h"

#include <errno.h>
#include <sys/stat.h>

#include "tool/render/result.h"

static int take_text(const char *name, const char *value, void *field)
{
    (void)name;
    *(struct text_view *)field = (struct text_view){ value, strlen(value) };
    return COMMAND_GO_ON;
}

bool option_parse_count(const char *text, uint64_t *number)
{
    return parse_count(text, UINT64_MAX, number);
}

static const char *const sum_names[] = { "place", "module", "folder" };
static const struct word_list sum_words = WORDS(sum_names);

static int take_sum(const char *name, const char *value, void *field)
{
    struct site_sum *sum = field;

    *sum = (struct site_sum){ .by = SITE_SUM_PLACE };
    if (value == NULL)
        return COMMAND_GO_ON;
    if (words_find(&sum_words, value) >= 0) {
        sum->by += (enum site_sum_by)words_find(&sum_words, value);
        return COMMAND_GO_ON;
    }
    sum->by = SITE_SUM_FOLDER;
    if (strncmp(value, "folder:", 7) == 0 &&
        parse_count(value + 7, UINT64_MAX, &sum->depth) && sum->depth > 0)
        return COMMAND_GO_ON;
    return complain_about_near(
        name, value, &sum_words,
        "place, module, folder or folder:N, N from 1 on");
}

static const char *const kind_names[] = { "heap", "maps", "files", "threads",
                                          "heap,maps" };
static const struct word_list kind_words = WORDS(kind_names);

static int take_kinds(const char *name, const char *value, void *field)
{
    unsigned *kinds = field, found = 0;
    const char *rest = value;

    do {
        size_t length = strcspn(rest, ",");
        unsigned kind = LEDGER_SITE_HEAP;

        while (kind < LEDGER_SITE_KINDS &&
               (strlen(profile_kind_names[kind]) != length ||
                strncmp(rest, profile_kind_names[kind], length) != 0))
            kind++;
        if (kind == LEDGER_SITE_KINDS)
            return complain_about_near(
                name, value, &kind_words,
                "heap, maps, files, threads, or some with "
                "commas");
        found |= PROFILE_KIND(kind);
        rest += length;
    } while (*rest++ == ',');
    *kinds = found;
    return COMMAND_GO_ON;
}

static const char *const history_names[] = { "peak", "end" };
static const struct word_list history_words = WORDS(history_names);

int history_option_take(const char *name, const char *value, void *field)
{
    return history_read_wish(value, field)
               ? COMMAND_GO_ON
               : complain_about_value(name, value,
                                      "12.5s or 3m since the start, peak, end, "
                                      "or '2026-01-31 12:00:00'");
}

/* Take a number of rows; 0: all. */
static int take_rows(const char *name, const char *value, void *whole)
{
    struct source_options *options = whole;
    uint64_t number;

    if (!parse_count(value, SIZE_MAX, &number))
        return complain(name, "its argument is not a number",
                        "give a number of rows, or 0 for all");
    options->row_limit = number == 0 ? SIZE_MAX : number;
    options->has_row_limit = true;
    return COMMAND_GO_ON;
}

static int take_symbols(const char *name, const char *value, void *field)
{
    struct symbols_search *search = field;
    struct stat status;

    (void)name;
    if (value == NULL) {
        search->network = SYMBOLS_DEBUGINFOD;
        return COMMAND_GO_ON;
    }
    if (stat(value, &status) != 0 || !S_ISDIR(status.st_mode))
        return complain(
            value, "there is no such folder",
            "give --sysroot one that the machine's files are below");
    search->sysroot = value;
    return COMMAND_GO_ON;
}

int elf_option_take_load_address(const char *name, const char *value,
                                 void *field)
{
    struct elf_option *elf = field;

    errno = 0;
    elf->load_address = strtoull(value, NULL, 16);
    elf->has_load_address = true;
    if (strncmp(value, "0x", 2) != 0 || value[2] == '\0' ||
        value[2 + strspn(value + 2, "0123456789abcdefABCDEF")] != '\0' ||
        errno != 0)
        return complain(name, "its argument is not an address",
                        "give one such as 0x555555554000");
    return COMMAND_GO_ON;
}

int option_take_json(const char *name, const char *value, void *field)
{
    (void)name;
    (void)value;
    *(unsigned *)field = RESULT_JSON;
    return COMMAND_GO_ON;
}

static int take_glob(const char *name, const char *value, void *field)
{
    struct glob_list *list = field;

    if (list->count == GLOB_LIMIT)
        return complain(name, "it is given too often", "64 times is the most");
    list->globs[list->count++] = value;
    list->given = list->count;
    return COMMAND_GO_ON;
}

static int take_metadata(const char *name, const char *value, void *whole)
{
    struct source_failure failure;

    (void)name;
    (void)whole;
    return trace_metadata_give(value, &failure) == 0
               ? COMMAND_GO_ON
               : complain_about_source(value, &failure);
}

#define FIELD(member) \
    .has_value = true, OPTION_SETS(struct source_options, member)
#define RANGE(member, parser, values) \
    OPTION_NUMBER(struct source_options, member, parser, 0, UINT64_MAX, values)
#define NAMES(BIT)      .filter = ALLOCINFO_FILTER_##BIT, OF_SITES(NAMES)
#define SIZES(BIT)      .filter = ALLOCINFO_FILTER_##BIT, OF_SITES(SIZES)
#define OF_SITES(GROUP) .is_of_sites = true, .group = OPTIONS_##GROUP

static const struct option_rule shared_rules[] = {
    { "file", .take = take_text, FIELD(choice.filter.file), NAMES(FILE) },
    { "function", .take = take_text, FIELD(choice.filter.function),
      NAMES(FUNCTION) },
    { "module", .take = take_text, FIELD(choice.filter.module), NAMES(MODULE) },
    { "line", RANGE(choice.filter.line, option_parse_count, "a whole number"),
      NAMES(LINE) },
    { "inaccurate",
      OPTION_SETS(struct source_options, choice.filter.is_inaccurate),
      NAMES(INACCURATE) },
    { "min-size", RANGE(choice.filter.min_size, parse_bytes, OPTION_BYTES),
      SIZES(MIN_SIZE) },
    { "max-size", RANGE(choice.filter.max_size, parse_bytes, OPTION_BYTES),
      SIZES(MAX_SIZE) },
    { "sum", .take = take_sum, .words = &sum_words, .is_optional = true,
      FIELD(choice.sum), OF_SITES(SUM) },
    { "top", OPTION_TAKES_WHOLE(take_rows), OF_SITES(TOP) },
    { "all", OPTION_SETS(struct source_options, has_all),
      OF_SITES(ALL | OPTIONS_PROCESS) },
    { "process", FIELD(process), .group = OPTIONS_PROCESS },
    { "kind", .take = take_kinds, .words = &kind_words, FIELD(kinds),
      OF_SITES(ALL | OPTIONS_KIND) },
    { "sysroot", .take = take_symbols, FIELD(choice.search),
      OF_SITES(SYMBOLS) },
    { "debuginfod", .take = take_symbols,
      OPTION_SETS(struct source_options, choice.search), OF_SITES(SYMBOLS) },
    { "at", .take = history_option_take, .words = &history_words, FIELD(at),
      OF_SITES(AT) },
    { "hide", .take = take_glob, FIELD(choice.fold.hide), OF_SITES(BLAME) },
    { "focus", .take = take_glob, FIELD(choice.focus), OF_SITES(BLAME) },
    { "leaf", OPTION_SETS(struct source_options, choice.fold.is_leaf),
      OF_SITES(BLAME) },
    { "metadata", OPTION_TAKES_WHOLE(take_metadata),
      .group = OPTIONS_METADATA },
    { "elf", FIELD(elf.path), .group = OPTIONS_ELF },
    { "load-address", .take = elf_option_take_load_address, FIELD(elf),
      .group = OPTIONS_ELF },
    { 0 },
};

static const struct option_conflict shared_excludes[] = {
    { "all", "process", "--all sums all process images", "leave out one" },
    { "json", "format", "--json is --format=json", "choose one" },
    { "color=always",
      "json svg html format=json format=markdown format=github format=junit",
      "text alone has colors", "leave out --color" },
    { "leaf", "hide", "--leaf charges the innermost call, hidden or not",
      "leave out one" },
    { 0 },
};

/* Value that getopt_long() returns for the first rule. */
enum { FIRST_RULE = 256, LETTERS_LIMIT = 4 + 2 * OPTION_LIMIT };

/* Arguments of getopt_long(), and the options that it found. */
struct getopt_tables {
    char letters[LETTERS_LIMIT];
    const struct option_rule *rules[OPTION_LIMIT];
    size_t count;
    struct option words[OPTION_LIMIT + 3];
    const char *given[OPTION_LIMIT]; /* the last value; "": none; NULL: not
                                        given */
};

static void add_letter(struct getopt_tables *into, char letter, bool has_value)
{
    size_t length = strlen(into->letters);

    snprintf(into->letters + length, sizeof into->letters - length, "%c%s",
             letter, has_value ? ":" : "");
}

static int argument_of(const struct option_rule *rule)
{
    if (!rule->has_value)
        return no_argument;
    return rule->is_optional ? optional_argument : required_argument;
}

static void add_rules(struct getopt_tables *into,
                      const struct option_rule *rule, unsigned groups)
{
    for (; rule->name != NULL; rule++) {
        if (rule->group != 0 && (rule->group & groups) == 0)
            continue;
        into->words[into->count] =
            (struct option){ rule->name, argument_of(rule), NULL,
                             FIRST_RULE + (int)into->count };
        into->rules[into->count++] = rule;
        if (rule->letter != '\0')
            add_letter(into, rule->letter, rule->has_value);
    }
}

static void translate(const struct option_table *table,
                      struct getopt_tables *into)
{
    strcpy(into->letters, table->is_before_program ? "+:" : ":");
    add_letter(into, 'h', false);
    add_letter(into, 'V', false);
    into->count = 0;
    memset(into->given, 0, sizeof into->given);
    add_rules(into, shared_rules, table->shared);
    add_rules(into, table->rules, 0);
    into->words[into->count] =
        (struct option){ "help", no_argument, NULL, 'h' };
    into->words[into->count + 1] =
        (struct option){ "version", no_argument, NULL, 'V' };
    into->words[into->count + 2] = (struct option){ NULL, 0, NULL, 0 };
}

/* Take the option that getopt_long() returned. */
static int take(struct getopt_tables *tables, int option, void *options)
{
    size_t number = 0;

    if (option >= FIRST_RULE)
        number = (size_t)(option - FIRST_RULE);
    else
        while (tables->rules[number]->letter != option)
            number++;
    tables->given[number] = optarg == NULL ? "" : optarg;

    const struct option_rule *rule = tables->rules[number];
    void *field = (char *)options + rule->field;
    struct source_options *source = options;
    char name[64];
    int word;

    if (rule->filter != 0)
        source->choice.filter.mask |= rule->filter;
    if (rule->is_of_sites) {
        source->of_sites = rule->name;
        source->asks_rows = source->asks_rows || rule->group != OPTIONS_SYMBOLS;
    }
    snprintf(name, sizeof name, "--%s", rule->name);
    if (rule->take != NULL)
        return rule->take(name, optarg, field);
    if (rule->parse != NULL) {
        const uint64_t *parsed = field;

        return rule->parse(optarg, field) && *parsed >= rule->least &&
                       *parsed <= rule->most
                   ? COMMAND_GO_ON
                   : complain_about_value(name, optarg, rule->known);
    }
    if (rule->words != NULL) {
        word = words_find(rule->words, optarg);
        if (word < 0)
            return complain_about_word(name, optarg, rule->words);
        *(unsigned *)field = (unsigned)word;
    } else if (rule->has_value) {
        *(const char **)field = optarg;
    } else {
        *(bool *)field = true;
    }
    return COMMAND_GO_ON;
}

/* Complain about an option for which getopt_long() returned `result`. If optind
   is still `before`, more letters follow in the word. */
static int refuse(const char *command, int result, int before, char **argv,
                  const struct getopt_tables *tables)
{
    char names[OPTION_LIMIT + 2][32], near[NEAR_SIZE] = "";
    const char *texts[OPTION_LIMIT + 2], *option = argv[optind - 1];
    const struct word_list known = { texts, sizeof *texts, tables->count + 2 };
    const char *why = result == ':' ? "needs a value" : "is unknown";

    if (optopt > 0 && optopt < 256 &&
        (optind == before || strncmp(option, "--", 2) != 0))
        return tell_line("%s: option -%c %s; see tally %s --help", command,
                         optopt, why, command);
    for (size_t i = 0; i < known.count; i++) {
        snprintf(names[i], sizeof names[i], "--%s", tables->words[i].name);
        texts[i] = names[i];
    }
    if (result == '?') {
        char name[32];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(option, "="), option);
        near_note(near, &known, name);
    }
    return tell_line("%s: option %s %s%s; see tally %s --help", command, option,
                     why, near, command);
}

int command_version(void)
{
    printf("tally %s (ledger format %d.%d)\n", TALLY_VERSION, LEDGER_MAJOR,
           LEDGER_MINOR);
    return COMMAND_DONE;
}

/* Copy the next word of a list; return false at its end. */
static bool next_word(const char **list, char word[32])
{
    size_t length;

    *list += strspn(*list, " ");
    length = strcspn(*list, " ");
    snprintf(word, 32, "%.*s", (int)length, *list);
    *list += length;
    return length != 0;
}

/* Return true if the option "NAME" or "NAME=VALUE..." was given. */
static bool is_given(const struct getopt_tables *tables, const char *word)
{
    size_t length = strcspn(word, "=");
    const char *value = word[length] == '=' ? word + length + 1 : "";

    for (size_t i = 0; i < tables->count; i++) {
        if (tables->given[i] != NULL &&
            strlen(tables->rules[i]->name) == length &&
            strncmp(tables->rules[i]->name, word, length) == 0)
            return strncmp(tables->given[i], value, strlen(value)) == 0;
    }
    return false;
}

static int judge_conflicts(const struct getopt_tables *tables,
                           const struct option_conflict *conflict)
{
    char option[32], other[32];

    for (; conflict != NULL && conflict->options != NULL; conflict++) {
        const char *options = conflict->options;

        while (next_word(&options, option)) {
            const char *others = conflict->others;

            while (is_given(tables, option) && next_word(&others, other)) {
                if (strcmp(option, other) != 0 && is_given(tables, other))
                    return tell_line("--%s and --%s cannot be combined: %s; %s",
                                     option, other, conflict->why,
                                     conflict->advice);
            }
        }
    }
    return COMMAND_GO_ON;
}

static int judge_needs(const struct getopt_tables *tables,
                       const struct option_need *need)
{
    char option[32], other[32];

    for (; need != NULL && need->options != NULL; need++) {
        const char *options = need->options;

        while (next_word(&options, option)) {
            const char *others = need->others;
            char list[128] = "";
            bool is_met = !is_given(tables, option);

            while (!is_met && next_word(&others, other)) {
                size_t length = strlen(list);

                is_met = is_given(tables, other);
                snprintf(list + length, sizeof list - length, "%s--%s",
                         length == 0 ? "" : " or ", other);
            }
            if (!is_met)
                return tell_line("--%s needs %s", option, list);
        }
    }
    return COMMAND_GO_ON;
}

/* Check the options that were read against each other. */
static int judge(const struct option_table *table,
                 const struct getopt_tables *tables,
                 const struct source_options *options)
{
    struct source_failure failure;
    int status = judge_conflicts(tables, table->excludes);

    if (status == COMMAND_GO_ON)
        status = judge_conflicts(tables, shared_excludes);
    if (status == COMMAND_GO_ON)
        status = judge_needs(tables, table->needs);
    if (status != COMMAND_GO_ON)
        return status;
    if (trace_metadata_judge(&failure) < 0)
        return complain_about_source("--metadata", &failure);
    if ((table->shared & OPTIONS_SIZES) == 0 ||
        allocinfo_filter_is_valid(&options->choice.filter))
        return COMMAND_GO_ON;
    return complain("--min-size", "it is more than --max-size",
                    "no row can be both; exchange them");
}

/* Add the globs of .tally.yaml behind the user's. */
static int read_project(struct source_options *options, bool has_focus)
{
    static struct text_pool texts; /* until the command ends */
    struct glob_list *hide = &options->choice.fold.hide,
                     *focus = &options->choice.focus;
    struct project_file project = { hide, focus, &texts };
    size_t hidden = hide->count, focused = focus->count;
    struct yaml_failure failure;
    OWNED char *path = NULL;
    FILE *file = options->choice.fold.is_leaf ? NULL : project_file_find(&path);
    int status = COMMAND_GO_ON;

    if (file != NULL && project_file_read(&project, path, file, &failure) < 0)
        status = complain(failure.where, failure.why, failure.advice);
    if (!has_focus)
        focus->count = 0;
    if (file != NULL && status == COMMAND_GO_ON)
        tell_line("%s hides %zu and focuses on %zu globs", path,
                  hide->count - hidden, focus->count - focused);
    return status;
}

static const struct option_table **asked_for; /* NULL: read options */

const struct option_table *options_of(const struct command *command)
{
    const struct option_table *table = NULL;
    char *argv[] = { (char *)(uintptr_t)command->name, NULL };

    asked_for = &table;
    command->run(1, argv);
    asked_for = NULL;
    return table;
}

size_t options_rules(const struct option_table *table,
                     const struct option_rule *rules[OPTION_LIMIT])
{
    struct getopt_tables tables;

    translate(table, &tables);
    memcpy(rules, tables.rules, tables.count * sizeof *rules);
    return tables.count;
}

int options_read(const struct option_table *table, int argc, char **argv,
                 void *options)
{
    struct getopt_tables tables;
    int option, before = 0, status = COMMAND_GO_ON;

    if (asked_for != NULL) {
        *asked_for = table;
        return COMMAND_DONE;
    }
    translate(table, &tables);
    opterr = 0;
    optind = 0;
    while (status == COMMAND_GO_ON &&
           (before = optind, option = getopt_long(argc, argv, tables.letters,
                                                  tables.words, NULL)) != -1) {
        if (optarg != NULL && optarg == argv[optind - 1] &&
            strcmp(optarg, "--") == 0) {
            optind--;
            optopt = option;
            option = ':';
        }
        if (option == 'h') {
            fputs(table->help, stdout);
            if (table->more_help != NULL)
                table->more_help();
            status = COMMAND_DONE;
        } else if (option == 'V') {
            status = command_version();
        } else if (option == '?' || option == ':') {
            status = refuse(table->command, option, before, argv, &tables);
        } else {
            status = take(&tables, option, options);
        }
    }
    if (status == COMMAND_GO_ON)
        status = judge(table, &tables, options);
    if (status == COMMAND_GO_ON &&
        (table->shared & (OPTIONS_BLAME | OPTIONS_PROJECT)) != 0)
        status = read_project(options, (table->shared & OPTIONS_BLAME) != 0);
    return status;
}

int options_take_one(const struct option_table *table, const char *what,
                     int argc, char **argv, const char **name)
{
    if (optind + 1 == argc) {
        *name = argv[optind];
        return COMMAND_GO_ON;
    }
    return tell_line("%s: %s %s is named; see tally %s --help", table->command,
                     optind == argc ? "no" : "more than one", what,
                     table->command);
}

const char *elf_option_program(const struct elf_option *elf)
{
    return elf->path == NULL || is_ledger_file(elf->path) ? NULL : elf->path;
}

int elf_option_add(const struct elf_option *elf,
                   const struct trace_program *program,
                   struct caller_modules *modules)
{
    const char *known =
        program->ledger != NULL ? program->ledger : program->path;
    const char *path = elf->path != NULL ? elf->path : known;
    const uint64_t *load_address = NULL;
    struct source_failure failure;

    if (path == NULL)
        return COMMAND_DONE;
    if (elf->has_load_address)
        load_address = &elf->load_address;
    else if (program->has_load_address)
        load_address = &program->load_address;
    if (caller_modules_add(modules, path, load_address, &failure) == 0 ||
        elf->path == NULL)
        return COMMAND_DONE;
    return complain_about_source(path, &failure);
}
