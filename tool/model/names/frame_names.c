/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_names.c - what people call the frames of a profile's stacks
 *
 * Names lie in blocks that never move. Labels are numbered by their text and
 * module, calls by their label, file and line.
 */
#include "tool/model/names/frame_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tables/index_table.h"
#include "tool/tables/text_pool.h"

struct place_names {
    struct frame_name *names; /* NULL: not looked up yet */
    uint32_t count;
    bool is_unresolved; /* one of them has no function */
};

/* A label, or a call, by numbers of its texts. */
struct numbered {
    uint64_t a, b;
};

struct numbers {
    struct numbered *items;
    size_t count;
    struct index_table table;
};

struct frame_names {
    const struct profile *profile;
    struct site_names *site_names;
    struct place_names *places; /* by place */
    struct place_names *sites;  /* by site, those with a label */
    struct text_pool texts;
    struct numbers labels;
    struct numbers calls;
};

struct frame_names *frame_names_create(const struct profile *profile,
                                       struct site_names *site_names)
{
    struct frame_names *names = calloc(1, sizeof *names);

    if (names == NULL)
        return NULL;
    names->profile = profile;
    names->site_names = site_names;
    names->places =
        calloc(profile->stacks.place_count + 1, sizeof *names->places);
    names->sites = calloc(profile->site_count + 1, sizeof *names->sites);
    if (names->places == NULL || names->sites == NULL) {
        frame_names_destroy(names);
        return NULL;
    }
    return names;
}

static void free_numbers(struct numbers *numbers)
{
    free(numbers->items);
    index_table_free(&numbers->table);
}

void frame_names_destroy(struct frame_names *names)
{
    if (names == NULL)
        return;
    for (size_t i = 0;
         names->places != NULL && i < names->profile->stacks.place_count; i++)
        free(names->places[i].names);
    for (size_t i = 0; names->sites != NULL && i < names->profile->site_count;
         i++)
        free(names->sites[i].names);
    free(names->places);
    free(names->sites);
    text_pool_free(&names->texts);
    free_numbers(&names->labels);
    free_numbers(&names->calls);
    free(names);
}

static bool is_numbered(const void *array, uint32_t index, const void *key)
{
    const struct numbered *a = array, *b = key;

    return a[index].a == b->a && a[index].b == b->b;
}

/* The number of the pair, new or known. 0, or -1 without memory. */
static int number_of(struct numbers *numbers, uint64_t a, uint64_t b,
                     uint32_t *number)
{
    const struct numbered key = { a, b };
    struct numbered *items = index_table_add(
        &numbers->table, index_hash(a, b), is_numbered, numbers->items,
        &numbers->count, sizeof key, &key, number);

    if (items == NULL)
        return -1;
    numbers->items = items;
    return 0;
}

/* Number the texts of a name and make them those of the pool. */
static int intern(struct frame_names *names, struct frame_name *name)
{
    uint32_t label = text_pool_add(&names->texts, name->label);
    uint32_t module = UINT32_MAX, file = UINT32_MAX;

    if (name->name.module != NULL)
        module = text_pool_add(&names->texts, name->name.module);
    if (name->name.file != NULL)
        file = text_pool_add(&names->texts, name->name.file);
    if (number_of(&names->labels, label, module, &name->label_number) < 0 ||
        number_of(&names->calls, (uint64_t)name->label_number << 32 | file,
                  name->name.line, &name->call_number) < 0)
        return -1;
    name->label = text_pool_text(&names->texts, label);
    if (name->name.function != NULL)
        name->name.function = name->label;
    if (module != UINT32_MAX)
        name->name.module = text_pool_text(&names->texts, module);
    if (file != UINT32_MAX)
        name->name.file = text_pool_text(&names->texts, file);
    return 0;
}

static int set_names(struct frame_names *names, struct place_names *found,
                     const struct site_name *chain, size_t count,
                     const char *label)
{
    struct frame_name *copy = calloc(count, sizeof *copy);

    if (copy == NULL)
        return -1;
    found->is_unresolved = false;
    for (size_t i = 0; i < count; i++) {
        copy[i].name = chain[i];
        copy[i].label = chain[i].function == NULL ? label : chain[i].function;
        copy[i].is_inlined = i + 1 < count;
        found->is_unresolved =
            found->is_unresolved || chain[i].function == NULL;
        if (intern(names, &copy[i]) < 0) {
            free(copy);
            return -1;
        }
    }
    found->names = copy;
    found->count = (uint32_t)count;
    return 0;
}

static int look_up(struct frame_names *names, uint32_t number,
                   struct place_names *found)
{
    const struct profile_place *place = &names->profile->stacks.places[number];
    struct symbol symbols[SYMBOLS_CHAIN_LIMIT];
    struct site_name chain[SYMBOLS_CHAIN_LIMIT] = { { 0 } };
    const char *module = NULL;
    size_t count = 0;
    char *label;
    int error;

    if (place->module != PROFILE_NO_MODULE) {
        if (names->profile->modules[place->module].path[0] != '\0')
            module = names->profile->modules[place->module].path;
        count = symbols_find_chain(names->site_names->symbols,
                                   (int)place->module, place->address, symbols);
    }
    for (size_t i = 0; i < count; i++)
        chain[i] = (struct site_name){ symbols[i].function, symbols[i].file,
                                       symbols[i].line, module };
    chain[0].module = module;
    if (asprintf(&label, "%s%s0x%" PRIx64,
                 module == NULL ? "" : base_name(module),
                 module == NULL ? "" : "+", place->address) < 0)
        return -1;
    error = set_names(names, found, chain, count == 0 ? 1 : count, label);
    free(label);
    return error;
}

const struct frame_name *frame_names_find(struct frame_names *names,
                                          uint32_t place, size_t *count)
{
    struct place_names *found = &names->places[place];

    if (found->names == NULL && look_up(names, place, found) < 0)
        return NULL;
    *count = found->count;
    return found->names;
}

const struct frame_name *frame_names_of_site(struct frame_names *names,
                                             uint32_t site)
{
    struct place_names *found = &names->sites[site];

    if (found->names == NULL &&
        set_names(names, found, &names->site_names->sites[site], 1, "?") < 0)
        return NULL;
    return found->names;
}

const struct frame_name *frame_names_of_stack(struct frame_names *names,
                                              const struct profile_stack *stack,
                                              size_t *count)
{
    *count = 1;
    return stack->place == STACK_NO_PLACE
               ? frame_names_of_site(names, stack->site)
               : frame_names_find(names, stack->place, count);
}

uint32_t frame_names_label_limit(const struct frame_names *names)
{
    return (uint32_t)names->labels.count;
}

int frame_names_find_all(struct frame_names *names)
{
    const struct stacks *stacks = &names->profile->stacks;
    size_t count;

    for (size_t i = 0; i < stacks->place_count; i++) {
        if (frame_names_find(names, (uint32_t)i, &count) == NULL)
            return -1;
    }
    for (size_t i = 0; i < stacks->stack_count; i++) {
        if (frame_names_of_stack(names, &stacks->stacks[i], &count) == NULL)
            return -1;
    }
    return 0;
}

size_t frame_names_unresolved(const struct frame_names *names, uint32_t module)
{
    size_t count = 0;

    for (size_t i = 0; i < names->profile->stacks.place_count; i++)
        count += names->profile->stacks.places[i].module == module &&
                 names->places[i].is_unresolved;
    return count;
}

size_t frame_names_unresolved_all(const struct frame_names *names)
{
    size_t count = 0;

    for (size_t i = 0; i < names->profile->stacks.place_count; i++)
        count += names->places[i].is_unresolved;
    return count;
}

void stack_walk_begin(struct stack_walk *walk, struct frame_names *names,
                      const struct profile_stack *stack)
{
    *walk = (struct stack_walk){ .names = names, .frame = stack->frame };
    walk->at = frame_names_of_stack(names, stack, &walk->left);
    if (walk->at == NULL) {
        walk->left = 0;
        walk->is_incomplete = true;
    }
}

const struct frame_name *stack_walk_next(struct stack_walk *walk)
{
    const struct profile_frame *frame;

    if (walk->left > 0) {
        walk->left--;
        return walk->at++;
    }
    walk->is_cut = walk->frame == STACK_CUT;
    if (!stacks_is_frame(walk->frame))
        return NULL;
    frame = &walk->names->profile->stacks.frames[walk->frame];
    walk->frame = frame->parent;
    walk->at = frame_names_find(walk->names, frame->place, &walk->left);
    if (walk->at == NULL) {
        walk->is_incomplete = true;
        return NULL;
    }
    walk->left--;
    return walk->at++;
}
