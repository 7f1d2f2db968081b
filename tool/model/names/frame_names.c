/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_names.c - names of the frames of a profile's stacks
 *
 * Labels are numbered by their text and module, calls by their label, file and
 * line. Names never move.
 */
#include "tool/model/names/names.h"

#include <inttypes.h>

/* A label, by text and module, or a call, by label, file and line. */
struct name_key {
    uint64_t text, rest;
};

struct name_keys {
    struct name_key *items;
    size_t count;
    struct index_table table;
};

struct place_names {
    struct frame_name *names;
    uint32_t count;
    bool is_unresolved; /* some name has no function */
};

struct frame_names {
    struct arena *arena; /* the profile's */
    const struct profile *profile;
    struct site_names *site_names;
    struct place_names *places; /* by place */
    struct place_names *sites;  /* by site, if it has a label */
    uint32_t *folded;           /* by stack, calls that walks leave out */
    struct text_pool texts;
    struct name_keys labels;
    struct name_keys calls;
};

const struct frame_name frame_truncated = {
    .label = "[truncated]",
    .label_number = UINT32_MAX,
    .call_number = UINT32_MAX,
};

#define KIND(kind, text)                            \
    [kind] = { .label = (text),                     \
               .label_number = UINT32_MAX - (kind), \
               .call_number = UINT32_MAX - (kind) }

const struct frame_name frame_kinds[LEDGER_SITE_KINDS] = {
    KIND(LEDGER_SITE_MAP, "[anonymous map]"),
    KIND(LEDGER_SITE_FILE, "[mapped file]"),
    KIND(LEDGER_SITE_STACK, "[thread stack]"),
};

static uint32_t number_of(struct name_keys *keys, uint64_t text, uint64_t rest)
{
    const struct name_key key = { text, rest };

    return INDEX_ADD(&keys->table, sizeof key, keys->items, keys->count, &key);
}

/* Number a name and replace its texts by those of the pool. */
static void intern(struct frame_names *names, struct frame_name *name)
{
    uint32_t label = text_pool_add(&names->texts, name->label);
    uint32_t module = text_pool_add(&names->texts, name->name.module);
    uint32_t file = text_pool_add(&names->texts, name->name.file);

    name->label = names->texts.texts[label];
    if (name->name.function != NULL)
        name->name.function = name->label;
    name->name.short_name =
        text_pool_keep(&names->texts, name->name.short_name);
    if (name->name.module != NULL)
        name->name.module = names->texts.texts[module];
    if (name->name.file != NULL)
        name->name.file = names->texts.texts[file];
    name->label_number = number_of(&names->labels, label, module);
    name->call_number =
        number_of(&names->calls, (uint64_t)name->label_number << 32 | file,
                  name->name.line);
}

static void set_names(struct frame_names *names, struct place_names *found,
                      const struct site_name *chain, size_t count,
                      const char *label)
{
    struct frame_name made[SYMBOLS_CHAIN_LIMIT];

    for (size_t i = 0; i < count; i++) {
        bool is_resolved = chain[i].function != NULL;

        made[i] = (struct frame_name){
            .name = chain[i],
            .label = is_resolved ? chain[i].function : label,
        };
        found->is_unresolved = found->is_unresolved || !is_resolved;
        intern(names, &made[i]);
    }
    found->names = arena_copy(names->arena, made, count * sizeof *made);
    found->count = (uint32_t)count;
}

static void look_up(struct frame_names *names, size_t number)
{
    const struct profile_place *place = &names->profile->stacks.places[number];
    struct symbol symbols[SYMBOLS_CHAIN_LIMIT];
    struct site_name chain[SYMBOLS_CHAIN_LIMIT] = { { 0 } };
    const char *pair = profile_pair(names->profile, (uint32_t)number);
    const char *module = NULL;
    size_t count = 0;
    char *label;

    if (pair != NULL) {
        label = memory_print("[%s]", pair);
        chain[0].function = label;
        set_names(names, &names->places[number], chain, 1, label);
        names->places[number].names->is_pair = true;
        free(label);
        return;
    }
    if (place->module != PROFILE_NO_MODULE &&
        names->profile->modules[place->module].path[0] != '\0')
        module = names->profile->modules[place->module].path;
    count = site_names_chain(names->site_names->symbols, names->profile, place,
                             symbols);
    for (size_t i = 0; i < count; i++)
        chain[i] = site_name_of(&symbols[i], module);
    chain[0].module = module;
    if (count == 0)
        chain[0].function =
            frame_kinds[stacks_kind(&names->profile->stacks, (uint32_t)number)]
                .label;
    if (chain[0].function == NULL && place->module == PROFILE_NO_MODULE) {
        chain[0].function = site_names_without_module(names->profile);
        names->places[number].is_unresolved = true;
    }
    label =
        memory_print("%s%s0x%" PRIx64, module == NULL ? "" : base_name(module),
                     module == NULL ? "" : "+", place->address);
    set_names(names, &names->places[number], chain, count == 0 ? 1 : count,
              label);
    for (size_t i = 0; i < count; i++)
        names->places[number].names[i].returns_memory =
            symbols[i].returns_memory;
    free(label);
}

void frame_names_rename_sites(struct frame_names *names)
{
    const struct stacks *stacks = &names->profile->stacks;

    arena_release(names->arena, names->sites);
    names->sites = arena_zeroed(names->arena, names->profile->caller_count + 1,
                                sizeof *names->sites);
    for (size_t i = 0; i < stacks->stack_count; i++) {
        uint32_t site = stacks->stacks[i].site;

        if (stacks->stacks[i].place == STACK_NO_PLACE &&
            names->sites[site].names == NULL)
            set_names(names, &names->sites[site],
                      &names->site_names->sites[site], 1, "?");
    }
}

struct frame_names *frame_names_create(const struct profile *profile,
                                       struct site_names *site_names)
{
    const struct stacks *stacks = &profile->stacks;
    struct frame_names *names = arena_zeroed(profile->arena, 1, sizeof *names);

    names->arena = names->texts.table.arena = names->labels.table.arena =
        names->calls.table.arena = profile->arena;
    names->profile = profile;
    names->site_names = site_names;
    names->places = arena_zeroed(names->arena, stacks->place_count + 1,
                                 sizeof *names->places);
    for (size_t i = 0; i < stacks->place_count; i++)
        look_up(names, i);
    frame_names_rename_sites(names);
    return names;
}

const struct frame_name *frame_names_find(const struct frame_names *names,
                                          uint32_t place, size_t *count)
{
    *count = names->places[place].count;
    return names->places[place].names;
}

void frame_names_set_fold(struct frame_names *names, uint32_t place,
                          size_t call, enum fold fold)
{
    names->places[place].names[call].fold = fold;
}

const struct frame_name *frame_names_of_site(const struct frame_names *names,
                                             uint32_t site)
{
    return names->sites[site].names;
}

const struct frame_name *frame_names_of_stack(const struct frame_names *names,
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

uint32_t frame_names_call_limit(const struct frame_names *names)
{
    return (uint32_t)names->calls.count;
}

size_t frame_names_unresolved(const struct frame_names *names, uint32_t module)
{
    size_t count = 0;

    for (size_t i = 0; names != NULL && i < names->profile->stacks.place_count;
         i++)
        count += (module == FRAME_ANY_MODULE ||
                  names->profile->stacks.places[i].module == module) &&
                 names->places[i].is_unresolved;
    return count;
}

void frame_names_fold(struct frame_names *names, size_t stack, uint32_t calls)
{
    if (names->folded == NULL)
        names->folded =
            arena_zeroed(names->arena, names->profile->stacks.stack_count,
                         sizeof *names->folded);
    names->folded[stack] = calls;
}

uint32_t frame_names_folded(const struct frame_names *names,
                            const struct profile_stack *stack)
{
    return names->folded == NULL
               ? 0
               : names->folded[stack - names->profile->stacks.stacks];
}

void stack_walk_begin_whole(struct stack_walk *walk,
                            const struct frame_names *names,
                            const struct profile_stack *stack)
{
    *walk = (struct stack_walk){ .names = names, .frame = stack->frame };
    walk->at = frame_names_of_stack(names, stack, &walk->left);
}

void stack_walk_begin(struct stack_walk *walk, const struct frame_names *names,
                      const struct profile_stack *stack)
{
    stack_walk_begin_whole(walk, names, stack);
    for (uint32_t i = frame_names_folded(names, stack); i > 0; i--)
        stack_walk_next(walk);
}

const struct frame_name *stack_walk_next(struct stack_walk *walk)
{
    const struct profile_frame *frame;

    if (walk->left == 0) {
        walk->is_cut = walk->frame == STACK_CUT;
        if (!stacks_is_frame(walk->frame))
            return NULL;
        frame = &walk->names->profile->stacks.frames[walk->frame];
        walk->frame = frame->parent;
        walk->at = frame_names_find(walk->names, frame->place, &walk->left);
    }
    walk->left--;
    return walk->at++;
}
