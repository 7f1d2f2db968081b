/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top.c - options of `tally top`
 */
#include "tool/commands/top/top_parts.h"

static int take_delay(const char *name, const char *value, void *field)
{
    uint64_t ns;

    if (!parse_duration(value, &ns) || ns < 100000000 || ns > 86400000000000)
        return complain_about_value(
            name, value,
            "a time from 100ms on, such as " PARSE_DURATION_EXAMPLES);
    *(double *)field = (double)ns / 1e9;
    return COMMAND_GO_ON;
}

/* Take a word, or an unambiguous prefix of one. */
static int take_sort(const char *name, const char *value, void *field)
{
    for (size_t i = 0; i < top_sort_words.count; i++) {
        const char *word = words_at(&top_sort_words, i);

        if (strcmp(word, value) == 0 ||
            (value[0] == word[0] && value[1] == '\0')) {
            *(const char **)field = word;
            return COMMAND_GO_ON;
        }
    }
    return complain_about_word(name, value, &top_sort_words);
}

#define COUNT(member)                                                \
    OPTION_NUMBER(struct top_options, member, option_parse_count, 1, \
                  1000000000, "a whole number from 1 on")

static const struct option_rule rules[] = {
    { "delay", 'd', OPTION_TAKES(take_delay, struct top_options, interval) },
    { "count", 'n', COUNT(refreshes) },
    { "sort", 's', OPTION_TAKES(take_sort, struct top_options, sort),
      .words = &top_sort_words },
    { "rows", 'r', COUNT(row_count) },
    { "all", 'a', OPTION_SETS(struct top_options, has_all) },
    { 0 },
};

static void print_keys(void)
{
    puts("\nKeys:");
    top_write_keys(stdout);
}

static const struct option_table option_table = {
    .command = "top",
    .help = help_top,
    .arguments = ARGUMENT_FILE | ARGUMENT_PROCESS,
    .shared = OPTIONS_BLAME | OPTIONS_NAMES | OPTIONS_SIZES | OPTIONS_SUM |
              OPTIONS_KIND | OPTIONS_SYMBOLS | OPTIONS_METADATA | OPTIONS_ELF,
    .rules = rules,
    .more_help = print_keys,
};

int command_top(int argc, char **argv)
{
    struct top_options options = { .interval = 1, .row_count = 20 };
    int status = options_read(&option_table, argc, argv, &options);
    const char *name;

    if (status == COMMAND_GO_ON && argc - optind > 1)
        return tell_line("top: more than one PID or FILE; name one");
    if (status != COMMAND_GO_ON)
        return status;
    name = argv[optind];
    return name != NULL && is_top_of_trace(name)
               ? top_regions(&options, name)
               : top_accounts(&options, name, NULL);
}
