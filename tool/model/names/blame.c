/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame.c - see blamed_calls.h
 *
 * Judge each place and each frame once: callers have lower numbers.
 */
#include "tool/model/names/blamed_calls.h"

struct blame_job {
    const struct blame *blame;
    struct profile *profile;
    struct site_names *names;
    struct frame_names *frames;
    bool *place_is_wanted; /* by place: a call there passes */
    bool *frame_is_wanted; /* by frame: it or a caller of it passes */
    bool has_filter;       /* false: all names pass */
};

bool blame_wants(const struct blame *blame, const struct site_name *name,
                 bool is_executable)
{
    return (blame->focus->count == 0 ||
            glob_list_matches(blame->focus, name)) &&
           name_filter_matches(blame->filter, name, is_executable);
}

static void judge_place(struct blame_job *job, uint32_t number)
{
    const struct profile *profile = job->profile;
    const struct profile_place *place = &profile->stacks.places[number];
    bool is_executable = place->module != PROFILE_NO_MODULE &&
                         profile->modules[place->module].is_executable;
    const struct text_pool *wrappers = job->blame->wrappers;
    bool is_call = stacks_kind(&profile->stacks, number) == 0;
    size_t count = 0;
    const struct frame_name *found =
        frame_names_find(job->frames, number, &count);

    for (size_t i = 0; i < count && is_call; i++) {
        const struct site_name name = frame_name_called(&found[i]);

        if (found[i].fold == FOLD_NOT &&
            index_table_find(&wrappers->table, INDEX_TEXT, wrappers->texts,
                             sizeof *wrappers->texts,
                             frame_name_short(&found[i])) != INDEX_NONE)
            frame_names_set_fold(job->frames, number, i, FOLD_WRAPPER);
        job->place_is_wanted[number] =
            job->place_is_wanted[number] ||
            (job->has_filter && blame_wants(job->blame, &name, is_executable));
    }
}

static void judge(struct blame_job *job)
{
    const struct stacks *stacks = &job->profile->stacks;

    for (uint32_t i = 0; i < stacks->place_count; i++)
        judge_place(job, i);
    for (size_t i = 1; i < stacks->frame_count; i++) {
        const struct profile_frame *frame = &stacks->frames[i];

        job->frame_is_wanted[i] = job->place_is_wanted[frame->place] ||
                                  (stacks_is_frame(frame->parent) &&
                                   job->frame_is_wanted[frame->parent]);
    }
}

/* The call to blame for a stack. */
struct blamed {
    const struct frame_name *name; /* NULL: the stack's site has a label */
    uint32_t place;
    uint32_t folded; /* calls inside it */
    bool is_wanted;
};

/* Return true for a library, or a program that exports its functions. */
static bool has_interface(const struct blame_job *job, uint32_t module)
{
    return module != PROFILE_NO_MODULE &&
           (!job->profile->modules[module].is_executable ||
            symbols_has_interface(job->names->symbols, (int)module));
}

/* Go to the place of the caller, which is no label. */
static bool step_out(const struct profile *profile, uint32_t *next,
                     uint32_t *place)
{
    do {
        if (!stacks_is_frame(*next))
            return false;
        *place = profile->stacks.frames[*next].place;
        *next = profile->stacks.frames[*next].parent;
    } while (profile_pair(profile, *place) != NULL);
    return true;
}

/* Return true if the caller starts programs, or is unknown. */
static bool is_main(const struct blame_job *job, uint32_t caller)
{
    size_t count = 0;

    return !stacks_is_frame(caller) ||
           frame_names_find(job->frames,
                            job->profile->stacks.frames[caller].place, &count)
                   ->fold == FOLD_START;
}

/*
 * Go outwards until a call has a name and is not folded. Skip a nameless call
 * that a folded call of its module made, or any call of its interface: it is
 * internal to that module. Skip one that a module made which links its library,
 * but not in main(): its interface jumped there. If no call with a name is
 * further out, blame a wrapper, a nameless call, or the outermost call in the
 * executable.
 */
static void find_call(const struct blame_job *job,
                      const struct profile_stack *stack, struct blamed *blamed)
{
    const struct stacks *stacks = &job->profile->stacks;
    struct blamed nameless = { 0 }, wrapper = { 0 }, last = { 0 };
    uint32_t place = stack->place, next = stack->frame, folded = 0;
    uint32_t callee = PROFILE_NO_MODULE;

    do {
        size_t count = 0;
        const struct frame_name *found =
            frame_names_find(job->frames, place, &count);
        struct blamed here = { found, place, folded, blamed->is_wanted };
        uint32_t module = stacks->places[place].module;
        uint32_t inner = stacks->places[nameless.place].module;
        bool is_own = module != PROFILE_NO_MODULE &&
                      job->profile->modules[module].is_executable;

        for (; here.name < found + count && here.name->fold != FOLD_NOT &&
               here.name->fold != FOLD_START;
             here.name++, here.folded++) {
            if (here.name->fold == FOLD_WRAPPER && wrapper.name == NULL)
                wrapper = here;
            if (is_own)
                last = here;
        }
        if (here.name < found + count && here.name->fold == FOLD_START)
            break;
        if (nameless.name != NULL &&
            (module != inner
                 ? callee == inner && !is_main(job, next) &&
                       symbols_need(job->names->symbols, module, inner)
                 : here.name == found + count ||
                       (here.name->name.function != NULL &&
                        has_interface(job, module))))
            nameless.name = NULL;
        callee = module;
        if (here.name < found + count && here.name->name.function != NULL) {
            *blamed = nameless.name != NULL ? nameless : here;
            return;
        }
        if (here.name < found + count && nameless.name == NULL)
            nameless = here;
        folded += (uint32_t)count;
    } while (step_out(job->profile, &next, &place));
    *blamed = wrapper.name != NULL    ? wrapper
              : nameless.name != NULL ? nameless
              : last.name != NULL     ? last
                                      : *blamed;
}

static struct blamed find_blamed(const struct blame_job *job,
                                 const struct profile_stack *stack)
{
    const struct stacks *stacks = &job->profile->stacks;
    struct blamed blamed = { .place = stack->place };
    size_t count;

    blamed.is_wanted = !job->has_filter || (stacks_is_frame(stack->frame) &&
                                            job->frame_is_wanted[stack->frame]);
    if (stack->place == STACK_NO_PLACE) {
        const struct site_name *name = &job->names->sites[stack->site];

        blamed.is_wanted = blamed.is_wanted ||
                           blame_wants(job->blame, name, name->module == NULL);
        return blamed;
    }
    blamed.is_wanted = blamed.is_wanted || job->place_is_wanted[stack->place];
    find_call(job, stack, &blamed);
    if (blamed.name == NULL) {
        /* The innermost place of a map's stack is no call. */
        bool is_map = stacks_kind(stacks, stack->place) != 0 &&
                      stacks_is_frame(stack->frame);

        blamed.place =
            is_map ? stacks->frames[stack->frame].place : stack->place;
        blamed.folded = blamed.place != stack->place;
        blamed.name = frame_names_find(job->frames, blamed.place, &count);
    }
    return blamed;
}

/* Return a site without amounts for the call to blame for a stack of `site`. */
static struct profile_site begin_row(const struct blame_job *job,
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
        profile_label_site(job->profile, &row, site->label);
    } else {
        const struct profile_place *place =
            &job->profile->stacks.places[blamed->place];

        row.place = place->address;
        row.module = place->module;
    }
    return row;
}

enum { KEYS = 2 * LEDGER_SITE_KINDS };

/* Callers have a row for each kind, wanted or not; so has a labelled site. */
struct rows {
    uint32_t *numbers; /* by key, from 1; 0: none yet */
    struct profile_site *sites;
    size_t count;
    struct site_name *names;
    size_t name_count;
};

static struct profile_site *row_of(const struct blame_job *job,
                                   struct rows *rows,
                                   const struct profile_stack *stack,
                                   const struct blamed *blamed)
{
    const struct profile_site *site = &job->profile->sites[stack->site];
    size_t call = blamed->name == NULL
                      ? frame_names_call_limit(job->frames) + stack->site
                      : blamed->name->call_number;
    uint32_t *number =
        &rows->numbers[KEYS * call + 2 * site->kind + blamed->is_wanted];
    const struct profile_label *label;

    if (*number == 0) {
        ARENA_ADD(job->profile->arena, rows->sites, rows->count,
                  begin_row(job, site, blamed));
        label = rows->sites[rows->count - 1].label;
        ARENA_ADD(job->profile->arena, rows->names, rows->name_count,
                  label == NULL ? blamed->name->name
                                : site_name_of_label(label));
        *number = (uint32_t)rows->count;
    }
    return &rows->sites[*number - 1];
}

static void put_rows(struct blame_job *job, struct rows *rows)
{
    struct profile *profile = job->profile;
    struct site_names *names = job->names;

    arena_release(profile->arena, profile->sites);
    profile->sites = NULL;
    profile->site_count = 0;
    arena_release(profile->arena, names->sites);
    profile->callers = rows->sites;
    profile->caller_count = rows->count;
    names->sites = rows->names;
    profile->inaccurate_sites = names->unresolved = 0;
    for (size_t i = 0; i < rows->count; i++) {
        profile->inaccurate_sites += profile->callers[i].is_inaccurate;
        names->unresolved += names->sites[i].function == NULL;
    }
    frame_names_rename_sites(job->frames);
}

/* Replace sites that are places by sites that are calls. */
static void sum_by_call(struct blame_job *job)
{
    struct profile *profile = job->profile;
    size_t keys =
        KEYS * (frame_names_call_limit(job->frames) + profile->site_count);
    struct rows rows = { .numbers =
                             memory_zeroed(keys + 1, sizeof *rows.numbers) };

    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        struct profile_stack *stack = &profile->stacks.stacks[i];
        struct blamed blamed = find_blamed(job, stack);
        struct profile_site *row = row_of(job, &rows, stack, &blamed);

        frame_names_fold(job->frames, i, blamed.folded);
        amounts_add_settled(&row->amounts, &stack->amounts);
        lifetimes_merge(profile->arena, &row->lifetimes,
                        stacks_lifetimes(&profile->stacks, stack));
        profile_join_marks(row, &profile->sites[stack->site]);
        stack->site = (uint32_t)(row - rows.sites);
    }
    free(rows.numbers);
    put_rows(job, &rows);
}

/* Name a site without stacks by the innermost inlined call that is not
   folded. */
static void name_site(struct blame_job *job, size_t number)
{
    struct profile_site *site = &job->profile->callers[number];
    struct site_name *name = &job->names->sites[number];
    struct symbol chain[SYMBOLS_CHAIN_LIMIT];
    size_t count =
        site->label != NULL || site->module == PROFILE_NO_MODULE
            ? 0
            : symbols_find_chain(job->names->symbols, (int)site->module,
                                 site->place, chain);

    for (size_t i = 0; i < count; i++) {
        struct site_name call = site_name_of(&chain[i], name->module);

        if (fold_of(job->blame->rules, &call) == FOLD_NOT) {
            *name = call;
            return;
        }
    }
}

void blame_find(const struct blame *blame, struct profile *profile,
                struct site_names *names, struct frame_names *frames)
{
    struct blame_job job = { .blame = blame,
                             .profile = profile,
                             .names = names,
                             .frames = frames,
                             .has_filter =
                                 blame->focus->count != 0 ||
                                 (blame->filter->mask &
                                  ~(uint64_t)ALLOCINFO_FILTER_NUMBERS) != 0 };

    if (!profile->has_stacks) {
        for (size_t i = 0; i < profile->caller_count; i++)
            name_site(&job, i);
        return;
    }
    job.place_is_wanted = memory_zeroed(profile->stacks.place_count + 1,
                                        sizeof *job.place_is_wanted);
    job.frame_is_wanted = memory_zeroed(profile->stacks.frame_count + 1,
                                        sizeof *job.frame_is_wanted);
    judge(&job);
    sum_by_call(&job);
    free(job.place_is_wanted);
    free(job.frame_is_wanted);
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
