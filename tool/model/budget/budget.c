/* SPDX-License-Identifier: Apache-2.0 */
/* budget.c - see budget.h */
#include "tool/model/budget/budget.h"

#include <string.h>

#include "tool/model/names/site_names.h"
#include "tool/text/glob.h"

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
        struct budget_noise noise = { .arena = arena };

        why = budget_noise_read(&noise, text, &at);
        ARENA_ADD(arena, entry->noise, entry->noise_count, noise);
    } else {
        struct budget_rule rule = { .arena = arena,
                                    .file = file->name,
                                    .line = file->event.start_mark.line + 1 };

        why = budget_rule_read(&rule, text, &at);
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
