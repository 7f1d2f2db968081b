/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.c - `tally completion`: words for the cursor's position
 *
 *     tally completion bash|zsh|fish          prints the script for that shell
 *     tally completion --words report --so    is run by the script
 *
 * The scripts know no commands: words come from the option tables. The first
 * line of the answer tells which other words fit: `files`, `none`, or `program
 * N` if word N starts another command line. Each further line is a word, a tab
 * and its meaning from the help.
 */
#include <ctype.h>

#include "tool/commands/load/load.h"

/* Words of a command line, from the command to the cursor. */
struct line {
    int count;
    char **words;
    const char *typed; /* the last word, up to the cursor */
    const struct option_table *table;
    const struct option_rule *rules[OPTION_LIMIT];
    size_t rule_count;
};

/* Return true if `found`, in `help`, stands in a line that begins with '-'. */
static bool is_in_option_line(const char *help, const char *found)
{
    while (found > help && found[-1] != '\n')
        found--;
    return found[strspn(found, " ")] == '-';
}

/* Print the first sentence or line of the help behind `key` and a gap. */
static void print_meaning(const char *whole_help, const char *key)
{
    const char *help = whole_help;

    while ((help = strstr(help, key)) != NULL) {
        const char *found = help, *gap, *dot;
        size_t length;

        help += strlen(key);
        if (key[0] == '-' && !is_in_option_line(whole_help, found))
            continue;
        gap = strstr(help, "  ");
        if (isalnum((unsigned char)*help) || *help == '-' || gap == NULL ||
            gap > help + strcspn(help, "\n"))
            continue;
        gap += strspn(gap, " ");
        length = strcspn(gap, ";(\n");
        dot = strstr(gap, ". ");
        if (dot != NULL && dot < gap + length)
            length = (size_t)(dot - gap);
        while (length > 0 && gap[length - 1] == ' ')
            length--;
        printf("\t%.*s", (int)length, gap);
        return;
    }
}

static bool begins_as_typed(const struct line *line, const char *word)
{
    return strncmp(word, line->typed, strlen(line->typed)) == 0;
}

/* Offer a word, with its meaning behind `key` in `help`. */
static void offer(const struct line *line, const char *word, const char *help,
                  const char *key)
{
    if (!begins_as_typed(line, word))
        return;
    fputs(word, stdout);
    print_meaning(help, key);
    putchar('\n');
}

/* Offer words, each with the prefix `before`. */
static void offer_words(const struct line *line, const char *before,
                        const struct word_list *list)
{
    char word[128];

    for (size_t i = 0; list != NULL && i < list->count; i++) {
        snprintf(word, sizeof word, "%s%s", before, words_at(list, i));
        offer(line, word, "", word);
    }
}

static void offer_process(const struct live_program *program, void *context)
{
    FILE *file = process_file(program->ledger.pid, "comm");
    char pid[16], name[64] = "";

    snprintf(pid, sizeof pid, "%ld", (long)program->ledger.pid);
    if (file != NULL && begins_as_typed(context, pid) &&
        fgets(name, sizeof name, file) != NULL) {
        name[strcspn(name, "\n")] = '\0';
        printf("%s\t", pid);
        escape_write(stdout, ESCAPE_TERMINAL, name, sizeof name);
        putchar('\n');
    }
    if (file != NULL)
        fclose(file);
}

/* Offer programs of this user, for root of all users. */
static void offer_running(struct line *line)
{
    struct process_walk walk = { .pid = 0 };

    while (process_next(&walk)) {
        struct live_program found = { .ledger.pid = walk.pid };
        uint64_t user = process_status_read(walk.pid, "Uid:", 10);

        if ((user == geteuid() || geteuid() == 0) &&
            process_status_read(walk.pid, "VmSize:", 10) != 0)
            offer_process(&found, line);
    }
}

/* Return the rule of an option; NULL if `word` is no option in the command's
   table. */
static const struct option_rule *find_rule(const struct line *line,
                                           const char *word)
{
    size_t length = strcspn(word, "=");

    for (size_t i = 0; i < line->rule_count; i++) {
        const struct option_rule *rule = line->rules[i];

        if ((word[1] == '-' && strlen(rule->name) == length - 2 &&
             strncmp(rule->name, word + 2, length - 2) == 0) ||
            (word[1] != '\0' && word[1] == rule->letter && word[2] == '\0'))
            return rule;
    }
    return NULL;
}

static void offer_values(struct line *line, const char *before,
                         const struct option_rule *rule)
{
    if (rule != NULL && strcmp(rule->name, "pid") == 0 && *before == '\0') {
        puts("none");
        offer_running(line);
        return;
    }
    puts(rule != NULL && rule->words != NULL ? "none" : "files");
    offer_words(line, before, rule == NULL ? NULL : rule->words);
}

/* Offer words for argument `number`, counted from 0. */
static void offer_arguments(struct line *line, int number)
{
    const struct option_table *table = line->table;
    bool is_setting = number > 0 && table->settings != NULL;

    if (number == 0 && table->actions != NULL) {
        puts("none");
        offer_words(line, "", table->actions);
        return;
    }
    puts((table->arguments & ARGUMENT_FILE) != 0 ? "files" : "none");
    if (is_setting)
        offer_words(line, "", table->settings);
    else if (number == 0 && (table->arguments & ARGUMENT_RUNNING) != 0)
        offer_running(line);
    else if ((table->arguments & ARGUMENT_PROCESS) != 0)
        find_programs(offer_process, line);
}

static void offer_options(const struct line *line)
{
    char key[64], word[sizeof key + 1];

    puts("none");
    for (size_t i = 0; i < line->rule_count; i++) {
        const struct option_rule *rule = line->rules[i];
        bool needs_value = rule->has_value && !rule->is_optional;

        snprintf(key, sizeof key, "--%s", rule->name);
        snprintf(word, sizeof word, "%s%s", key, needs_value ? "=" : "");
        offer(line, word, line->table->help, key);
    }
    offer(line, "--help", line->table->help, "--help");
    offer(line, "--version", line->table->help, "--version");
}

static void complete(struct line *line)
{
    const struct option_rule *rule;
    bool is_behind_options = false;
    int i, arguments = 0;
    char before[64];

    for (i = 1; i < line->count; i++) {
        const char *word = line->words[i];
        bool is_option = word[0] == '-' && !is_behind_options;

        if (!is_option && (line->table->arguments & ARGUMENT_PROGRAM) != 0) {
            printf("program %d\n", i);
            return;
        }
        if (i == line->count - 1)
            break;
        is_behind_options |= strcmp(word, "--") == 0;
        rule = is_option ? find_rule(line, word) : NULL;
        arguments += !is_option;
        if (rule == NULL || !rule->has_value || rule->is_optional ||
            strchr(word, '=') != NULL)
            continue;
        if (++i == line->count - 1) {
            offer_values(line, "", rule);
            return;
        }
    }
    snprintf(before, sizeof before, "%.*s", (int)strcspn(line->typed, "=") + 1,
             line->typed);
    if (is_behind_options || line->typed[0] != '-')
        offer_arguments(line, arguments);
    else if (strchr(line->typed, '=') != NULL)
        offer_values(line, before, find_rule(line, line->typed));
    else
        offer_options(line);
}

static void complete_command(const struct line *line,
                             const struct word_list *commands)
{
    char key[32];

    puts("none");
    for (size_t i = 0; i < commands->count; i++) {
        snprintf(key, sizeof key, "\n  %s", words_at(commands, i));
        offer(line, words_at(commands, i), help_tally, key);
    }
}

static const struct {
    const char *name, *script;
} shells[] = { { "bash", completion_bash },
               { "zsh", completion_zsh },
               { "fish", completion_fish } };
static const struct word_list shell_words = WORDS(shells);

int command_completion(int argc, char **argv, const struct word_list *commands)
{
    const struct command *rows = commands->first;
    struct line line = { argc - 2, argv + 2, argc > 2 ? argv[argc - 1] : "",
                         NULL,     { NULL }, 0 };
    int shell = argc == 2 ? words_find(&shell_words, argv[1]) : -1;
    int command;

    if (shell >= 0) {
        fputs(shells[shell].script, stdout);
        return COMMAND_DONE;
    }
    if (argc < 3 || strcmp(argv[1], "--words") != 0)
        return tell_line("completion: use tally completion bash, zsh or fish");
    command = words_find(commands, argv[2]);
    if (argc == 3 || (argc == 4 && strcmp(argv[2], "help") == 0))
        complete_command(&line, commands);
    else if (command >= 0 &&
             (line.table = options_of(&rows[command])) != NULL) {
        line.rule_count = options_rules(line.table, line.rules);
        complete(&line);
    }
    return COMMAND_DONE;
}
