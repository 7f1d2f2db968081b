/* SPDX-License-Identifier: Apache-2.0 */
/* wrappers.c - see blamed_calls.h */
#include "tool/model/names/blamed_calls.h"

enum { LINES_LIMIT = 2, CALLERS_LEAST = 3 };

/* A function, by its label number. */
struct function {
    const char *label; /* in short */
    uint32_t lines;    /* that allocate; above LINES_LIMIT: no wrapper */
    uint32_t callers;
    bool is_wrapper;
};

struct call {
    uint32_t callee, caller;
};

struct wrapper_search {
    const struct profile *profile;
    const struct frame_names *names;
    struct function *functions;
    struct call *calls; /* each once */
    size_t call_count;
    struct index_table table;
};

static void count_lines(struct wrapper_search *search)
{
    OWNED bool *is_known = memory_zeroed(
        frame_names_call_limit(search->names) + UINT64_C(1), sizeof *is_known);

    for (uint32_t i = 0; i < search->profile->stacks.place_count; i++) {
        size_t count = 0;
        const struct frame_name *found =
            frame_names_find(search->names, i, &count);

        for (size_t call = 0; call < count; call++) {
            struct function *function =
                &search->functions[found[call].label_number];

            if (!found[call].returns_memory)
                function->lines = LINES_LIMIT + 1;
            else if (!is_known[found[call].call_number])
                function->lines++;
            is_known[found[call].call_number] = true;
            function->label = frame_name_short(&found[call]);
        }
    }
}

/* Add calls from the innermost one outwards, until one cannot be a wrapper. */
static void add_stack(struct wrapper_search *search,
                      const struct profile_stack *stack)
{
    const struct stacks *stacks = &search->profile->stacks;
    const struct frame_name *callee = NULL;
    uint32_t place = stack->place, next = stack->frame;

    while (profile_pair(search->profile, place) == NULL) {
        size_t count = 0;
        const struct frame_name *found =
            frame_names_find(search->names, place, &count);

        for (size_t i = 0; i < count; i++) {
            bool may_be =
                search->functions[found[i].label_number].lines <= LINES_LIMIT;

            if (callee != NULL && found[i].fold == FOLD_NOT &&
                found[i].name.function != NULL &&
                callee->label_number != found[i].label_number) {
                const struct call call = { callee->label_number,
                                           found[i].label_number };
                size_t known = search->call_count;

                if (INDEX_ADD(&search->table, sizeof call, search->calls,
                              search->call_count, &call) == known)
                    search->functions[call.callee].callers++;
            }
            if (found[i].fold == FOLD_NOT && !may_be)
                return;
            callee = found[i].fold == FOLD_NOT ? &found[i] : NULL;
        }
        if (!stacks_is_frame(next))
            return;
        place = stacks->frames[next].place;
        next = stacks->frames[next].parent;
    }
}

/* Mark wrappers, and all that they call. */
static void follow_calls(struct wrapper_search *search)
{
    bool is_changed = true;

    while (is_changed) {
        is_changed = false;
        for (size_t i = 0; i < search->call_count; i++) {
            struct function *callee =
                &search->functions[search->calls[i].callee];

            if (!callee->is_wrapper &&
                (callee->callers >= CALLERS_LEAST ||
                 search->functions[search->calls[i].caller].is_wrapper))
                callee->is_wrapper = is_changed = true;
        }
    }
}

/* Add short labels of wrappers. Rules have marked the calls that they fold. */
static void find_wrappers(const struct profile *profile,
                          const struct frame_names *names,
                          struct text_pool *found)
{
    const uint32_t limit = frame_names_label_limit(names);
    struct wrapper_search search = {
        .profile = profile,
        .names = names,
        .functions =
            memory_zeroed(limit + UINT64_C(1), sizeof *search.functions),
    };

    count_lines(&search);
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        if (profile->stacks.stacks[i].place != STACK_NO_PLACE)
            add_stack(&search, &profile->stacks.stacks[i]);
    }
    follow_calls(&search);
    for (uint32_t i = 0; i < limit; i++) {
        if (search.functions[i].is_wrapper)
            text_pool_add(found, search.functions[i].label);
    }
    index_table_free(&search.table);
    free(search.calls);
    free(search.functions);
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
            if (found[call].fold == FOLD_NOT)
                frame_names_set_fold(
                    frames, i, call,
                    is_map ? FOLD_RULE : fold_of(rules, &found[call].name));
        }
    }
}

/* Find wrappers before and after calls are hidden: hidden calls are callers of
   wrappers, and may have wrappers themselves. */
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
    find_wrappers(profile, frames, wrappers);
    if (rules->hide.count != 0) {
        fold_calls(rules, profile, frames);
        find_wrappers(profile, frames, wrappers);
    }
    return frames;
}

char *wrappers_text(const struct text_pool *found)
{
    char *text = NULL;

    for (size_t i = 0; i < found->count; i++) {
        OWNED char *before = text;

        text = memory_print("%s%s%s",
                            before == NULL ? "folded, as they return the block "
                                             "they got: "
                                           : before,
                            before == NULL ? "" : ", ", found->texts[i]);
    }
    return text;
}
