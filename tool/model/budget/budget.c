/* SPDX-License-Identifier: Apache-2.0 */
/* budget.c - see budget.h */
#include "tool/model/budget/budget.h"

#include <math.h>

#define CALLS (COVERAGE(CALLS) | COVERAGE(MEMORY))

const struct budget_figure budget_figures[] = {
    { "live", MEASURE_LIVE_BYTES, true, .needs = COVERAGE_LOW },
    { "peak", MEASURE_PEAK_BYTES, true, .needs = COVERAGE_LOW },
    { "total", MEASURE_TOTAL_BYTES, true, .needs = CALLS },
    { "leaks", MEASURE_LIVE_BYTES, true, .is_leaked = true,
      .needs = CALLS | COVERAGE(FREES) | COVERAGE(END) },
    { "resident", MEASURE_RESIDENT, true, .needs = 0 },
    { "blocks", MEASURE_LIVE_BLOCKS, false, .needs = COVERAGE_LOW },
    { "allocations", MEASURE_TOTAL_BLOCKS, false, .needs = CALLS },
    { "temporary", MEASURE_TEMPORARY, false, .needs = CALLS },
};

const struct word_list budget_figure_words = WORDS(budget_figures);

static const struct {
    const char *name;
    double scale; /* 0: a percentage */
    bool is_of_blocks;
} units[] = {
    { "", 1, true },
    { "%", 0, true },
    { "B", 1, false },
    { "bytes", 1, false },
    { "K", 1024, true },
    { "KiB", 1024, false },
    { "kB", 1e3, false },
    { "KB", 1e3, false },
    { "M", 1048576, true },
    { "MiB", 1048576, false },
    { "MB", 1e6, false },
    { "G", 1073741824, true },
    { "GiB", 1073741824, false },
    { "GB", 1e9, false },
    { "blocks", 1, true },
};
static const struct word_list unit_words = WORDS(units);

static const char *const relations[] = {
    [BUDGET_AT_MOST] = "<=", [BUDGET_BELOW] = "<", [BUDGET_EQUAL] = "="
};
static const struct word_list relation_words = WORDS(relations);

enum { WORD_SIZE = 1024 };

static const char digits[] = "0123456789.";

/* A reader of the words of a text. */
struct words {
    struct arena *arena; /* of copies */
    const char *at, *next;
    bool is_quoted;
    char word[WORD_SIZE];
};

/* Read the next word, "" at the end; return false if it is invalid. Relations
   are words of their own. */
static bool read_word(struct words *words)
{
    const char *from = words->next + strspn(words->next, " \t\n");
    size_t length;

    words->at = from;
    words->is_quoted = *from == '"';
    if (words->is_quoted) {
        length = strcspn(++from, "\"");
        words->next = from + length + (from[length] == '"');
        if (from[length] == '\0')
            return false;
    } else {
        length = strspn(from, "<=");
        if (length == 0)
            length = strcspn(from, " \t\n<=");
        words->next = from + length;
    }
    if (length >= WORD_SIZE)
        return false;
    memcpy(words->word, from, length);
    words->word[length] = '\0';
    return true;
}

static bool is_end(const struct words *words)
{
    return words->word[0] == '\0' && !words->is_quoted;
}

static bool read_number(const char *text, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return *text != '\0' && text[strspn(text, digits)] == '\0' &&
           *end == '\0' && isfinite(*number);
}

/* Read "64 MiB", in one word or two, with or without quotes. */
static const char *read_bound(struct budget_rule *rule, struct words *words)
{
    char text[2 * WORD_SIZE];
    size_t length;
    int unit;

    if (!read_word(words) || is_end(words))
        return "the bound is missing";
    strcpy(text, words->word);
    if (!words->is_quoted) {
        if (!read_word(words))
            return "the bound is not a number with a unit";
        strcat(text, words->word);
    }
    length = strspn(text, digits);
    unit = words_find(&unit_words, text + length + strspn(text + length, " "));
    text[length] = '\0';
    if (unit < 0 || !read_number(text, &rule->bound))
        return "the bound is not a number with a unit";
    rule->is_percent = units[unit].scale == 0;
    if (!rule->is_percent)
        rule->bound *= units[unit].scale;
    if (!isfinite(rule->bound))
        return "the bound is too large";
    if (!rule->figure->is_bytes && !units[unit].is_of_blocks)
        return "the figure is in blocks, not bytes";
    if (rule->figure->is_bytes && strcmp(units[unit].name, "blocks") == 0)
        return "the figure is in bytes, not blocks";
    if (!is_end(words) && (!read_word(words) || !is_end(words)))
        return "unexpected text after the bound";
    return NULL;
}

static const char *read_figure(const struct budget_figure **figure,
                               struct words *words)
{
    int word = words_find(&budget_figure_words, words->word);

    if (word < 0 || words->is_quoted)
        return "unknown figure";
    *figure = &budget_figures[word];
    return NULL;
}

/* Read a word, and the pattern before it if there is one. */
static const char *read_pattern(char **pattern, struct words *words,
                                const char *stops)
{
    if (!read_word(words))
        return "the pattern has no end";
    if (!words->is_quoted && strchr(stops, words->word[0]) != NULL)
        return NULL;
    *pattern = arena_text(words->arena, words->word);
    return read_word(words) ? NULL : "the bound is not a number with a unit";
}

static const char *read_rule(struct budget_rule *rule, struct words *words)
{
    const char *why;
    int relation;

    if (!read_word(words))
        return "unknown figure";
    rule->is_growth = strcmp(words->word, "growth") == 0;
    if (rule->is_growth && !read_word(words))
        return "unknown figure";
    why = read_figure(&rule->figure, words);
    if (why == NULL)
        why = read_pattern(&rule->pattern, words, "<=");
    if (why != NULL)
        return why;
    relation = words_find(&relation_words, words->word);
    if (relation < 0 || words->is_quoted)
        return "expected <=, < or =";
    rule->relation = (enum budget_relation)relation;
    why = read_bound(rule, words);
    if (why != NULL)
        return why;
    if (rule->is_percent && !rule->is_growth && rule->pattern == NULL &&
        rule->figure->measure != MEASURE_TEMPORARY)
        return "it is a percentage of itself";
    if (rule->pattern != NULL && rule->figure->measure == MEASURE_RESIDENT)
        return "resident memory is known of the whole program only";
    return NULL;
}

const char *budget_rule_read(struct arena *arena, struct budget_rule *rule,
                             const char *text, size_t *at)
{
    struct words words = { .arena = arena, .at = text, .next = text };
    const char *why = read_rule(rule, &words);

    *at = (size_t)(words.at - text);
    rule->text = arena_text(arena, text);
    return why;
}

static const char *read_noise(struct budget_noise *noise, struct words *words)
{
    const char *why = "unknown figure";
    double runs;

    if (read_word(words))
        why = read_figure(&noise->figure, words);
    if (why == NULL)
        why = read_pattern(&noise->pattern, words, digits);
    if (why != NULL)
        return why;
    if (!read_number(words->word, &noise->mean) || !read_word(words) ||
        strcmp(words->word, "+-") != 0 || !read_word(words) ||
        !read_number(words->word, &noise->deviation) || !read_word(words) ||
        strcmp(words->word, "of") != 0 || !read_word(words) ||
        !read_number(words->word, &runs) || !(runs >= 1 && runs <= 1e6))
        return "not in the form of tally check --learn";
    noise->runs = (size_t)runs;
    return read_word(words) && is_end(words)
               ? NULL
               : "unexpected text after the noise";
}

/* The entry that is read. */
struct budget_reader {
    struct budget *budget;
    struct budget_entry *entry;
    bool is_noise;
};

/* Add an item of `rules` or `noise`. */
static int add_line(struct yaml_file *file, void *context)
{
    const struct budget_reader *reader = context;
    struct budget_entry *entry = reader->entry;
    struct arena *arena = reader->budget->arena;
    const char *text = yaml_text(file), *why;
    size_t at = 0;

    if (reader->is_noise) {
        struct words words = { .arena = arena, .at = text, .next = text };
        struct budget_noise noise = { 0 };

        why = read_noise(&noise, &words);
        at = (size_t)(words.at - text);
        ARENA_ADD(arena, entry->noise, entry->noise_count, noise);
    } else {
        struct budget_rule rule = { .file = file->name,
                                    .line = file->event.start_mark.line + 1 };

        why = budget_rule_read(arena, &rule, text, &at);
        ARENA_ADD(arena, entry->rules, entry->rule_count, rule);
    }
    return why == NULL
               ? 0
               : yaml_refuse(file, at, why,
                             "write it such as: peak <= 64 MiB, live "
                             "\"cache.c:*\" <= 64 KiB, leaks = 0, or growth "
                             "peak <= 5 %");
}

static int read_entry(struct yaml_file *file, struct budget *budget,
                      bool is_top);

static int read_entries(struct yaml_file *file, struct budget *budget)
{
    if (yaml_expect(file, YAML_SEQUENCE_START_EVENT, "budgets are not a list") <
        0)
        return -1;
    while (yaml_go_on(file) == 0) {
        if (file->event.type == YAML_SEQUENCE_END_EVENT)
            return 0;
        if (file->event.type != YAML_MAPPING_START_EVENT)
            return yaml_refuse(file, 0,
                               "expected program: or rules:", file->form);
        if (read_entry(file, budget, false) < 0)
            return -1;
    }
    return -1;
}

/* Read the members of an entry; the start of its mapping was read. */
static int read_members(struct yaml_file *file, struct budget_reader *reader,
                        bool is_top)
{
    while (yaml_go_on(file) == 0) {
        const char *key = yaml_text(file);
        int error;

        if (file->event.type == YAML_MAPPING_END_EVENT)
            return 0;
        if (key != NULL && strcmp(key, "program") == 0) {
            error =
                yaml_expect(file, YAML_SCALAR_EVENT, "a program is not a name");
            if (error == 0 &&
                (yaml_text(file) == NULL || reader->entry->program != NULL))
                return yaml_refuse(file, 0, "a program is named once",
                                   file->form);
            if (error == 0)
                reader->entry->program =
                    arena_text(reader->budget->arena, yaml_text(file));
        } else if (key != NULL &&
                   (strcmp(key, "rules") == 0 || strcmp(key, "noise") == 0)) {
            reader->is_noise = *key == 'n';
            error = yaml_read_list(file, add_line, reader);
        } else if (key != NULL && is_top && strcmp(key, "budgets") == 0) {
            error = read_entries(file, reader->budget);
        } else {
            return yaml_refuse(
                file, 0, "unknown key",
                "use program, rules and noise, and at the top budgets");
        }
        if (error < 0)
            return -1;
    }
    return -1;
}

static int read_entry(struct yaml_file *file, struct budget *budget,
                      bool is_top)
{
    struct budget_entry entry = { 0 };
    struct budget_reader reader = { .budget = budget, .entry = &entry };
    int error = read_members(file, &reader, is_top);

    ARENA_ADD(budget->arena, budget->entries, budget->count, entry);
    return error;
}

static int read_top(struct yaml_file *file, void *context)
{
    return read_entry(file, context, true);
}

int budget_read(struct budget *budget, const char *name, FILE *in,
                struct yaml_failure *failure)
{
    if (budget->arena == NULL)
        budget->arena = arena_create();
    return yaml_read(name, in, "see tally check --help for the form", read_top,
                     budget, failure);
}

void budget_close(struct budget *budget)
{
    arena_destroy(budget->arena);
    *budget = (struct budget){ 0 };
}

const struct budget_entry *budget_next(const struct budget *budget,
                                       const char *program, const char *called,
                                       size_t *entry)
{
    while (*entry < budget->count) {
        const struct budget_entry *found = &budget->entries[(*entry)++];

        if (found->program == NULL ||
            glob_matches(found->program, base_name(program)) ||
            (called != NULL && glob_matches(found->program, base_name(called))))
            return found;
    }
    return NULL;
}
