/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - getopt_long() over a table; see options.h */
#include "tool/commands/options/options.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "tool/commands/options/complaint.h"
#include "tool/model/trace/trace_folder.h"

/* What getopt_long() returns for the first rule. */
enum { FIRST_RULE = 256, LETTERS_LIMIT = 4 + 2 * OPTION_LIMIT };

/* What getopt_long() wants to know, from the table. */
struct getopt_tables {
    char letters[LETTERS_LIMIT];
    struct option words[OPTION_LIMIT + 3];
};

static void add_letter(struct getopt_tables *into, char letter, bool has_value)
{
    size_t length = strlen(into->letters);

    into->letters[length++] = letter;
    if (has_value)
        into->letters[length++] = ':';
    into->letters[length] = '\0';
}

static int argument_of(const struct option_rule *rule)
{
    if (!rule->has_value)
        return no_argument;
    return rule->is_optional ? optional_argument : required_argument;
}

static void translate(const struct option_table *table,
                      struct getopt_tables *into)
{
    size_t count = 0;

    strcpy(into->letters, table->is_before_program ? "+:" : ":");
    add_letter(into, 'h', false);
    add_letter(into, 'V', false);
    for (; table->rules[count].name != NULL; count++) {
        const struct option_rule *rule = &table->rules[count];

        into->words[count] = (struct option){ rule->name, argument_of(rule),
                                              NULL, FIRST_RULE + (int)count };
        if (rule->letter != '\0')
            add_letter(into, rule->letter, rule->has_value);
    }
    into->words[count++] = (struct option){ "help", no_argument, NULL, 'h' };
    into->words[count++] = (struct option){ "version", no_argument, NULL, 'V' };
    into->words[count] = (struct option){ NULL, 0, NULL, 0 };
}

static const struct option_rule *rule_of(const struct option_table *table,
                                         int option)
{
    const struct option_rule *rule = table->rules;

    if (option >= FIRST_RULE)
        return &table->rules[option - FIRST_RULE];
    while (rule->name != NULL && rule->letter != option)
        rule++;
    return rule;
}

static int take_word(const char *name, known_word_fn *word_at, unsigned *field)
{
    for (unsigned i = 0; word_at(i) != NULL; i++) {
        if (strcmp(word_at(i), optarg) == 0) {
            *field = i;
            return COMMAND_GO_ON;
        }
    }
    return complain_about_word(name, optarg, word_at);
}

static int take(const struct option_table *table,
                const struct option_rule *rule, void *options)
{
    void *field = (char *)options + rule->field;
    char name[64];

    if (table->note != NULL)
        table->note(rule, options);
    snprintf(name, sizeof name, "--%s", rule->name);
    if (rule->take != NULL)
        return rule->take(name, optarg, field);
    if (rule->word_at != NULL)
        return take_word(name, rule->word_at, field);
    if (rule->has_value)
        *(const char **)field = optarg;
    else
        *(bool *)field = true;
    return COMMAND_GO_ON;
}

bool option_is_from(const struct option_rule *rules, const char *first,
                    const struct option_rule *rule)
{
    while (strcmp(rules->name, first) != 0)
        rules++;
    return rule >= rules;
}

static int print_help(const struct option_table *table)
{
    fputs(table->help, stdout);
    if (table->more_help != NULL)
        table->more_help();
    return COMMAND_DONE;
}

/* One that getopt_long() did not take, for which it returned `result`. */
static int refuse(const char *command, int result, char **argv)
{
    const char *why = result == ':' ? "needs a value" : "is unknown";

    if (optopt > 0 && optopt < 256)
        return tell_line("%s: option -%c %s; see tally %s --help", command,
                         optopt, why, command);
    return tell_line("%s: option %s %s; see tally %s --help", command,
                     argv[optind - 1], why, command);
}

int command_version(void)
{
    printf("tally %s (ledger format %d.%d)\n", TALLY_VERSION, LEDGER_MAJOR,
           LEDGER_MINOR);
    return COMMAND_DONE;
}

/* Of all files of metadata together. */
static int judge_metadata(void)
{
    struct source_failure failure;

    return trace_metadata_judge(&failure) == 0
               ? COMMAND_GO_ON
               : complain_about_source("--metadata", &failure);
}

int options_read(const struct option_table *table, int argc, char **argv,
                 void *options)
{
    struct getopt_tables tables;
    int option, status = COMMAND_GO_ON;

    translate(table, &tables);
    opterr = 0;
    optind = 0;
    while (status == COMMAND_GO_ON &&
           (option = getopt_long(argc, argv, tables.letters, tables.words,
                                 NULL)) != -1) {
        if (option == 'h')
            status = print_help(table);
        else if (option == 'V')
            status = command_version();
        else if (option == '?' || option == ':')
            status = refuse(table->command, option, argv);
        else
            status = take(table, rule_of(table, option), options);
    }
    return status == COMMAND_GO_ON ? judge_metadata() : status;
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

int option_take_rows(const char *name, const char *value, void *field)
{
    struct option_rows *rows = field;
    unsigned long number;

    errno = 0;
    number = strtoul(value, NULL, 10);
    if (value[0] == '\0' || value[strspn(value, "0123456789")] != '\0' ||
        errno != 0)
        return complain(name, "its argument is not a number",
                        "give a number of rows, or 0 for all");
    *rows = (struct option_rows){ number == 0 ? SIZE_MAX : number, true };
    return COMMAND_GO_ON;
}
