/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame.c - see blame.h
 *
 * Each place is judged once, and each frame once: callers have lower numbers.
 */
#include "tool/model/names/blame.h"

#include <stdlib.h>
#include <string.h>

#include "tool/tables/array.h"
#include "tool/tables/memory.h"

struct blaming {
    const struct blame *blame;
    struct profile *profile;
    struct site_names *names;
    struct frame_names *frames;
    bool *place_is_wanted; /* a call there */
    bool *frame_is_wanted; /* it, or a caller of it */
    bool has_filter; /* without, all are wanted, however they are called */
};

bool blame_wants(const struct blame *blame, const struct site_name *name,
                 bool is_executable)
{
    return (blame->focus->count == 0 ||
            glob_list_matches(blame->focus, name)) &&
           name_filter_matches(blame->filter, name, is_executable);
}

static bool has_filter(const struct blame *blame)
{
    return blame->focus->count != 0 ||
           (blame->filter->mask & ~(uint64_t)ALLOCINFO_FILTER_NUMBERS) != 0;
}

static void judge_place(struct blaming *blaming, uint32_t number)
{
    const struct profile *profile = blaming->profile;
    const struct profile_place *place = &profile->stacks.places[number];
    bool is_executable = place->module != PROFILE_NO_MODULE &&
                         profile->modules[place->module].is_executable;
    const struct text_pool *wrappers = blaming->blame->wrappers;
    bool is_call = stacks_kind(&profile->stacks, number) == 0;
    size_t count = 0;
    const struct frame_name *found =
        frame_names_find(blaming->frames, number, &count);

    for (size_t i = 0; i < count && is_call; i++) {
        const struct site_name name = frame_name_called(&found[i]);

        if (found[i].fold == FOLD_NOT &&
            index_table_find(&wrappers->table, INDEX_TEXT, wrappers->texts,
                             sizeof *wrappers->texts,
                             found[i].label) != INDEX_NONE)
            frame_names_set_fold(blaming->frames, number, i, FOLD_WRAPPER);
        blaming->place_is_wanted[number] =
            blaming->place_is_wanted[number] ||
            (blaming->has_filter &&
             blame_wants(blaming->blame, &name, is_executable));
    }
}

static void judge(struct blaming *blaming)
{
    const struct stacks *stacks = &blaming->profile->stacks;

    for (uint32_t i = 0; i < stacks->place_count; i++)
        judge_place(blaming, i);
    for (size_t i = 1; i < stacks->frame_count; i++) {
        const struct profile_frame *frame = &stacks->frames[i];

        blaming->frame_is_wanted[i] = blaming->place_is_wanted[frame->place] ||
                                      (stacks_is_frame(frame->parent) &&
                                       blaming->frame_is_wanted[frame->parent]);
    }
}

/* What is to blame for a stack. */
struct blamed {
    const struct frame_name *name; /* NULL: its site, which has a label */
    uint32_t place;
    uint32_t folded; /* calls before it */
    bool is_wanted;
};

/* In a map's stack the innermost place is none. */
static uint32_t first_call(const struct stacks *stacks,
                           const struct profile_stack *stack)
{
    bool is_map =
        stacks_kind(stacks, stack->place) != 0 && stacks_is_frame(stack->frame);

    return is_map ? stacks->frames[stack->frame].place : stack->place;
}

/*
 * Outwards until a call has a name and is not folded. Calls without a name that
 * a folded one of their module made, or any of their library, are its own: of a
 * program they are most of it. A wrapper keeps what nothing with a name called
 * it for.
 */
static void find_call(const struct blaming *blaming,
                      const struct profile_stack *stack, struct blamed *blamed)
{
    const struct stacks *stacks = &blaming->profile->stacks;
    struct blamed nameless = { .name = NULL }, wrapper = { .name = NULL };
    uint32_t place = stack->place, next = stack->frame, folded = 0;

    for (;;) {
        size_t count = 0;
        const struct frame_name *found =
            frame_names_find(blaming->frames, place, &count);
        struct blamed here = { found, place, folded, blamed->is_wanted };
        uint32_t module = stacks->places[place].module;

        for (; here.name < found + count && here.name->fold != FOLD_NOT;
             here.name++, here.folded++) {
            if (here.name->fold == FOLD_WRAPPER && wrapper.name == NULL)
                wrapper = here;
        }
        if (nameless.name != NULL &&
            module == stacks->places[nameless.place].module &&
            (here.name == found + count ||
             (here.name->name.function != NULL && module != PROFILE_NO_MODULE &&
              !blaming->profile->modules[module].is_executable)))
            nameless.name = NULL;
        if (here.name < found + count && here.name->name.function != NULL) {
            *blamed = nameless.name != NULL ? nameless : here;
            return;
        }
        if (here.name < found + count && nameless.name == NULL)
            nameless = here;
        folded += (uint32_t)count;
        do {
            if (!stacks_is_frame(next)) {
                if (wrapper.name != NULL || nameless.name != NULL)
                    *blamed = wrapper.name != NULL ? wrapper : nameless;
                return;
            }
            place = stacks->frames[next].place;
            next = stacks->frames[next].parent;
        } while (profile_pair(blaming->profile, place) != NULL);
    }
}

static struct blamed find_blamed(const struct blaming *blaming,
                                 const struct profile_stack *stack)
{
    const struct stacks *stacks = &blaming->profile->stacks;
    struct blamed blamed = { .place = stack->place };
    size_t count;

    blamed.is_wanted =
        !blaming->has_filter || (stacks_is_frame(stack->frame) &&
                                 blaming->frame_is_wanted[stack->frame]);
    if (stack->place == STACK_NO_PLACE) {
        const struct site_name *name = &blaming->names->sites[stack->site];

        blamed.is_wanted =
            blamed.is_wanted ||
            blame_wants(blaming->blame, name, name->module == NULL);
        return blamed;
    }
    blamed.is_wanted =
        blamed.is_wanted || blaming->place_is_wanted[stack->place];
    find_call(blaming, stack, &blamed);
    if (blamed.name == NULL) {
        blamed.place = first_call(stacks, stack);
        blamed.folded = blamed.place != stack->place;
        blamed.name = frame_names_find(blaming->frames, blamed.place, &count);
    }
    return blamed;
}

/* A row that is nothing yet, of what is to blame for a stack of `site`. */
static struct profile_site begin_row(const struct blaming *blaming,
                                     const struct profile_site *site,
                                     const struct blamed *blamed)
{
    struct profile_site row = *site;

    row.label = NULL;
    row.lifetimes = NULL;
    row.amounts = (struct profile_amounts){ 0 };
    row.frame = STACK_WHOLE;
    row.is_left_out = !blamed->is_wanted;
    if (blamed->name == NULL) {
        profile_label_site(blaming->profile, &row, site->label);
    } else {
        const struct profile_place *place =
            &blaming->profile->stacks.places[blamed->place];

        row.place = place->address;
        row.module = place->module;
    }
    return row;
}

static void add_stack(struct arena *arena, struct profile_site *row,
                      const struct profile_site *site,
                      const struct profile_stack *stack)
{
    amounts_add_settled(&row->amounts, &stack->amounts);
    lifetimes_merge(arena, &row->lifetimes, stack->lifetimes);
    profile_join_marks(row, site);
}

enum { KEYS = 2 * LEDGER_SITE_KINDS };

/* Rows by call, kind and whether they are wanted; what has a label keeps its
   row, or has one of each. */
static size_t key_of(const struct blaming *blaming,
                     const struct profile_stack *stack,
                     const struct blamed *blamed)
{
    size_t number = blamed->name == NULL
                        ? frame_names_call_limit(blaming->frames) + stack->site
                        : blamed->name->call_number;
    uint32_t kind = blaming->profile->sites[stack->site].kind;

    return KEYS * number + 2 * kind + blamed->is_wanted;
}

struct rows {
    uint32_t *numbers; /* by key, from 1; 0: none yet */
    struct profile_site *sites;
    size_t count;
    struct site_name *names;
    size_t name_count;
};

static struct profile_site *row_of(const struct blaming *blaming,
                                   struct rows *rows,
                                   const struct profile_stack *stack,
                                   const struct blamed *blamed)
{
    const struct profile_site *site = &blaming->profile->sites[stack->site];
    uint32_t *number = &rows->numbers[key_of(blaming, stack, blamed)];
    const struct profile_label *label;

    if (*number == 0) {
        ARENA_ADD(blaming->profile->arena, rows->sites, rows->count,
                  begin_row(blaming, site, blamed));
        label = rows->sites[rows->count - 1].label;
        ARENA_ADD(blaming->profile->arena, rows->names, rows->name_count,
                  label == NULL
                      ? blamed->name->name
                      : (struct site_name){ label->function, label->file,
                                            label->line, label->module });
        *number = (uint32_t)rows->count;
    }
    return &rows->sites[*number - 1];
}

static void put_rows(struct blaming *blaming, struct rows *rows)
{
    struct profile *profile = blaming->profile;
    struct site_names *names = blaming->names;

    arena_release(profile->arena, profile->sites);
    arena_release(profile->arena, names->sites);
    profile->sites = rows->sites;
    profile->site_count = rows->count;
    names->sites = rows->names;
    profile->inaccurate_sites = names->unresolved = 0;
    for (size_t i = 0; i < rows->count; i++) {
        profile->inaccurate_sites += profile->sites[i].is_inaccurate;
        names->unresolved += names->sites[i].function == NULL;
    }
    frame_names_rename_sites(blaming->frames);
}

/* Rows of calls instead of rows of places. */
static void sum_by_call(struct blaming *blaming)
{
    struct profile *profile = blaming->profile;
    size_t keys =
        KEYS * (frame_names_call_limit(blaming->frames) + profile->site_count);
    struct rows rows = { .numbers =
                             memory_zeroed(keys + 1, sizeof *rows.numbers) };

    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        struct profile_stack *stack = &profile->stacks.stacks[i];
        struct blamed blamed = find_blamed(blaming, stack);
        struct profile_site *row = row_of(blaming, &rows, stack, &blamed);

        frame_names_fold(blaming->frames, i, blamed.folded);
        add_stack(profile->arena, row, &profile->sites[stack->site], stack);
        stack->site = (uint32_t)(row - rows.sites);
    }
    free(rows.numbers);
    put_rows(blaming, &rows);
}

/* A place alone: of what was inlined there the innermost that is not folded. */
static void name_site(struct blaming *blaming, size_t number)
{
    struct profile_site *site = &blaming->profile->sites[number];
    struct site_name *name = &blaming->names->sites[number];
    struct symbol chain[SYMBOLS_CHAIN_LIMIT];
    size_t count =
        site->label != NULL || site->module == PROFILE_NO_MODULE
            ? 0
            : symbols_find_chain(blaming->names->symbols, (int)site->module,
                                 site->place, chain);

    for (size_t i = 0; i < count; i++) {
        struct site_name call = { chain[i].function, chain[i].file,
                                  chain[i].line, name->module };

        if (!fold_matches(blaming->blame->rules, &call)) {
            *name = call;
            return;
        }
    }
}

static void fold_calls(const struct fold_rules *rules,
                       const struct profile *profile,
                       struct frame_names *frames)
{
    for (uint32_t i = 0; i < profile->stacks.place_count; i++) {
        bool is_map = stacks_kind(&profile->stacks, i) != 0;
        size_t count = 0;
        const struct frame_name *found = frame_names_find(frames, i, &count);

        for (size_t call = 0; call < count; call++) {
            if (found[call].fold == FOLD_NOT &&
                (is_map || fold_matches(rules, &found[call].name)))
                frame_names_set_fold(frames, i, call, FOLD_RULE);
        }
    }
}

/* What is hidden takes no caller away from a wrapper, and may have wrappers of
   its own. */
struct frame_names *blame_name(const struct fold_rules *rules,
                               const struct profile *profile,
                               struct site_names *names,
                               struct text_pool *wrappers)
{
    struct frame_names *frames =
        profile->has_stacks ? frame_names_create(profile, names) : NULL;

    if (frames == NULL || rules->is_leaf)
        return frames;
    fold_calls(&fold_shipped, profile, frames);
    if (rules->is_by_list)
        return frames;
    wrappers_find(profile, frames, wrappers);
    if (rules->hide.count != 0) {
        fold_calls(rules, profile, frames);
        wrappers_find(profile, frames, wrappers);
    }
    return frames;
}

void blame_find(const struct blame *blame, struct profile *profile,
                struct site_names *names, struct frame_names *frames)
{
    struct blaming blaming = { .blame = blame,
                               .profile = profile,
                               .names = names,
                               .frames = frames,
                               .has_filter = has_filter(blame) };

    if (!profile->has_stacks) {
        for (size_t i = 0; i < profile->site_count; i++)
            name_site(&blaming, i);
        return;
    }
    blaming.place_is_wanted = memory_zeroed(profile->stacks.place_count + 1,
                                            sizeof *blaming.place_is_wanted);
    blaming.frame_is_wanted = memory_zeroed(profile->stacks.frame_count + 1,
                                            sizeof *blaming.frame_is_wanted);
    judge(&blaming);
    sum_by_call(&blaming);
    free(blaming.place_is_wanted);
    free(blaming.frame_is_wanted);
}

struct frame_names *blame_all(const struct fold_rules *rules,
                              struct profile *profile, struct site_names *names)
{
    static const struct allocinfo_filter filter;
    static const struct glob_list focus;
    struct text_pool wrappers = { 0 };
    const struct blame blame = { rules, &filter, &focus, &wrappers };
    struct frame_names *frames = blame_name(rules, profile, names, &wrappers);

    blame_find(&blame, profile, names, frames);
    text_pool_free(&wrappers);
    return frames;
}
