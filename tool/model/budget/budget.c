/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.c - budgets out of YAML, event by event
 *
 * What is not expected where it stands is refused at once: nothing nests deeper
 * than the form, and an alias is never followed.
 */
#include "tool/model/budget/budget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "tool/model/names/site_names.h"
#include "tool/tables/array.h"
#include "tool/text/glob.h"

enum { LARGEST = 1 << 20 };

struct reader {
    struct budget *budget;
    const char *name;
    struct budget_failure *failure;
    yaml_parser_t parser;
    yaml_event_t event; /* the one that is looked at */
};

static int fail_at(struct reader *reader, const yaml_mark_t *mark, size_t more,
                   const char *why, const char *advice)
{
    snprintf(reader->failure->where, sizeof reader->failure->where,
             "%s:%zu:%zu", reader->name, mark->line + 1,
             mark->column + 1 + more);
    reader->failure->why = why;
    reader->failure->advice = advice;
    return -1;
}

static int fail(struct reader *reader, const char *why, const char *advice)
{
    return fail_at(reader, &reader->event.start_mark, 0, why, advice);
}

static const char *const form = "see tally check --help for the form";

/* The next event. */
static int go_on(struct reader *reader)
{
    yaml_event_delete(&reader->event);
    if (yaml_parser_parse(&reader->parser, &reader->event))
        return 0;
    if (reader->parser.error == YAML_MEMORY_ERROR)
        memory_end();
    return fail_at(reader, &reader->parser.problem_mark, 0, "it is no YAML",
                   "mend what stands there, or before it");
}

/* The next event, which is to be of that type. */
static int expect(struct reader *reader, yaml_event_type_t type,
                  const char *why)
{
    if (go_on(reader) < 0)
        return -1;
    return reader->event.type == type ? 0 : fail(reader, why, form);
}

/* NULL: it holds a zero. */
static const char *scalar(const struct reader *reader)
{
    const char *text = (const char *)reader->event.data.scalar.value;

    return strlen(text) == reader->event.data.scalar.length ? text : NULL;
}

static int refuse_line(struct reader *reader, const char *why, size_t at)
{
    return fail_at(reader, &reader->event.start_mark, at, why,
                   "write it such as: peak <= 64 MiB, live \"cache.c:*\" <= "
                   "64 KiB, leaks = 0, or growth peak <= 5 %");
}

/* An item of `rules` or `noise`. */
static int add_line(struct reader *reader, struct budget_entry *entry,
                    bool is_noise)
{
    const char *text = scalar(reader), *why;
    size_t at = 0;

    if (text == NULL)
        return refuse_line(reader, "a zero is in its text", 0);
    if (is_noise) {
        struct budget_noise noise = { 0 };

        why = budget_noise_read(&noise, text, &at);
        ARRAY_ADD(entry->noise, entry->noise_count, noise);
    } else {
        struct budget_rule rule = { .file = reader->name,
                                    .line = reader->event.start_mark.line + 1 };

        why = budget_rule_read(&rule, text, &at);
        ARRAY_ADD(entry->rules, entry->rule_count, rule);
    }
    return why == NULL ? 0 : refuse_line(reader, why, at);
}

static int read_lines(struct reader *reader, struct budget_entry *entry,
                      bool is_noise)
{
    if (expect(reader, YAML_SEQUENCE_START_EVENT, "it is no list") < 0)
        return -1;
    while (go_on(reader) == 0) {
        if (reader->event.type == YAML_SEQUENCE_END_EVENT)
            return 0;
        if (reader->event.type != YAML_SCALAR_EVENT)
            return fail(reader, "a line of text is due here", form);
        if (add_line(reader, entry, is_noise) < 0)
            return -1;
    }
    return -1;
}

static int read_program(struct reader *reader, struct budget_entry *entry)
{
    if (expect(reader, YAML_SCALAR_EVENT, "it is no name") < 0)
        return -1;
    if (scalar(reader) == NULL || entry->program != NULL)
        return fail(reader, "a program is named once", form);
    entry->program = memory_text(scalar(reader));
    return 0;
}

static int read_entry(struct reader *reader, bool is_top);

static int read_entries(struct reader *reader)
{
    if (expect(reader, YAML_SEQUENCE_START_EVENT, "it is no list") < 0)
        return -1;
    while (go_on(reader) == 0) {
        if (reader->event.type == YAML_SEQUENCE_END_EVENT)
            return 0;
        if (reader->event.type != YAML_MAPPING_START_EVENT)
            return fail(reader, "program: and rules: are due here", form);
        if (read_entry(reader, false) < 0)
            return -1;
    }
    return -1;
}

/* Behind the start of its mapping. */
static int read_members(struct reader *reader, struct budget_entry *entry,
                        bool is_top)
{
    while (go_on(reader) == 0) {
        const char *key = "";
        int error;

        if (reader->event.type == YAML_MAPPING_END_EVENT)
            return 0;
        if (reader->event.type == YAML_SCALAR_EVENT && scalar(reader) != NULL)
            key = scalar(reader);
        if (strcmp(key, "program") == 0)
            error = read_program(reader, entry);
        else if (strcmp(key, "rules") == 0 || strcmp(key, "noise") == 0)
            error = read_lines(reader, entry, *key == 'n');
        else if (is_top && strcmp(key, "budgets") == 0)
            error = read_entries(reader);
        else
            return fail(reader, "this key is unknown here",
                        "use program, rules and noise, and at the top budgets");
        if (error < 0)
            return -1;
    }
    return -1;
}

static int read_entry(struct reader *reader, bool is_top)
{
    struct budget *budget = reader->budget;
    struct budget_entry entry = { 0 };
    int error = read_members(reader, &entry, is_top);

    ARRAY_ADD(budget->entries, budget->count, entry);
    return error;
}

static int read_all(struct reader *reader)
{
    static const char top[] = "rules: or budgets: is due here";

    if (expect(reader, YAML_STREAM_START_EVENT, top) < 0 ||
        expect(reader, YAML_DOCUMENT_START_EVENT, top) < 0 ||
        expect(reader, YAML_MAPPING_START_EVENT, top) < 0 ||
        read_entry(reader, true) < 0 ||
        expect(reader, YAML_DOCUMENT_END_EVENT, top) < 0)
        return -1;
    return expect(reader, YAML_STREAM_END_EVENT, "it is a second document");
}

int budget_read_stream(struct budget *budget, const char *name, FILE *in,
                       struct budget_failure *failure)
{
    struct reader reader = { .budget = budget,
                             .name = name,
                             .failure = failure };
    unsigned char *bytes = memory_zeroed(LARGEST + 1, 1);
    size_t size = in == NULL ? 0 : fread(bytes, 1, LARGEST + 1, in);
    int error = -1;

    snprintf(failure->where, sizeof failure->where, "%s", name);
    failure->advice = "name a file of budgets with --budget";
    if (in == NULL || ferror(in) != 0) {
        failure->why = strerror(errno);
    } else if (size > LARGEST) {
        failure->why = "it is larger than 1 MiB";
    } else {
        if (!yaml_parser_initialize(&reader.parser))
            memory_end();
        yaml_parser_set_input_string(&reader.parser, bytes, size);
        error = read_all(&reader);
        yaml_event_delete(&reader.event);
        yaml_parser_delete(&reader.parser);
    }
    free(bytes);
    return error;
}

int budget_read(struct budget *budget, const char *name,
                struct budget_failure *failure)
{
    FILE *in = fopen(name, "re");
    int error = budget_read_stream(budget, name, in, failure);

    if (in != NULL)
        fclose(in);
    return error;
}

void budget_close(struct budget *budget)
{
    for (size_t i = 0; i < budget->count; i++) {
        struct budget_entry *entry = &budget->entries[i];

        for (size_t k = 0; k < entry->rule_count; k++) {
            free(entry->rules[k].text);
            free(entry->rules[k].pattern);
        }
        for (size_t k = 0; k < entry->noise_count; k++)
            free(entry->noise[k].pattern);
        free(entry->rules);
        free(entry->noise);
        free(entry->program);
    }
    free(budget->entries);
    *budget = (struct budget){ 0 };
}

const struct budget_entry *budget_next(const struct budget *budget,
                                       const char *program, size_t *entry)
{
    while (*entry < budget->count) {
        const struct budget_entry *found = &budget->entries[(*entry)++];

        if (found->program == NULL ||
            glob_matches(found->program, base_name(program)))
            return found;
    }
    return NULL;
}
