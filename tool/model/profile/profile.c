/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - memory by call site and stack, of one or more process images
 *
 * Sites lie in an array in the order in which they were first met, with an
 * index table beside it. Invariants between calls:
 *
 *   P1  no two sites have the same kind, module and place
 *   P2  no two modules have the same path and build-id
 *   P3  each index in the table is valid
 */
#include "tool/model/profile/profile.h"

const char *const profile_kind_names[LEDGER_SITE_KINDS] = {
    [LEDGER_SITE_NONE] = "",         [LEDGER_SITE_HEAP] = "heap",
    [LEDGER_SITE_MAP] = "maps",      [LEDGER_SITE_FILE] = "files",
    [LEDGER_SITE_STACK] = "threads",
};

struct profile *profile_create(void)
{
    struct arena *arena = arena_create();
    const struct index_table table = { .arena = arena };
    struct profile *profile = arena_zeroed(arena, 1, sizeof *profile);

    profile->arena = profile->timeline.arena = arena;
    profile->site_table = profile->labels.table = table;
    profile->stacks.place_table = profile->stacks.frame_table =
        profile->stacks.stack_table = table;
    profile->given.table = profile->given.texts.table = table;
    return profile;
}

void profile_destroy(struct profile *profile)
{
    if (profile == NULL)
        return;
    history_free(&profile->history);
    arena_destroy(profile->arena);
}

void profile_add_image(struct profile *profile,
                       const struct profile_image *image)
{
    struct profile_image copy = *image;

    copy.program = arena_text(profile->arena, image->program);
    copy.command_line = arena_text(profile->arena, image->command_line);
    ARENA_ADD(profile->arena, profile->images, profile->image_count, copy);
}

static bool is_same_module(const struct profile_module *a,
                           const struct profile_module *b)
{
    return a->build_id_size == b->build_id_size &&
           memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
           strcmp(a->path, b->path) == 0;
}

/* Return the module's number, or module_count if it is new. */
static size_t find_module(const struct profile *profile,
                          const struct profile_module *module)
{
    size_t i = 0;

    while (i < profile->module_count &&
           !is_same_module(&profile->modules[i], module))
        i++;
    return i;
}

uint32_t profile_add_module(struct profile *profile,
                            const struct profile_module *module)
{
    size_t number = find_module(profile, module);
    struct profile_module copy = *module;

    if (number == profile->module_count) {
        copy.path = arena_text(profile->arena, module->path);
        ARENA_ADD(profile->arena, profile->modules, profile->module_count,
                  copy);
        INVARIANT(P2, find_module(profile, &copy) == number);
    }
    return (uint32_t)number;
}

void profile_add_region(struct profile *profile,
                        const struct profile_region *region)
{
    struct profile_region copy = *region;

    copy.name = arena_text(profile->arena, region->name);
    ARENA_ADD(profile->arena, profile->regions, profile->region_count, copy);
}

void profile_add_notice(struct profile *profile,
                        const struct profile_notice *notice)
{
    struct profile_notice copy = *notice;

    for (size_t i = 0; i < profile->notice_count; i++) {
        struct profile_notice *other = &profile->notices[i];

        if (other->code == notice->code &&
            other->is_of_other == notice->is_of_other &&
            strcmp(other->text, notice->text) == 0) {
            other->times += notice->times;
            return;
        }
    }
    copy.text = arena_text(profile->arena, notice->text);
    ARENA_ADD(profile->arena, profile->notices, profile->notice_count, copy);
}

void profile_label_site(struct profile *profile, struct profile_site *site,
                        const struct profile_label *label)
{
    struct profile_label copy = *label;

    copy.function = arena_text(profile->arena, label->function);
    copy.file = arena_text(profile->arena, label->file);
    copy.pairs = arena_text(profile->arena, label->pairs);
    if (label->module != NULL)
        copy.module = arena_text(profile->arena, label->module);
    site->label = arena_copy(profile->arena, &copy, sizeof copy);
}

void profile_join_marks(struct profile_site *sum,
                        const struct profile_site *site)
{
    sum->is_inaccurate = sum->is_inaccurate || site->is_inaccurate;
    sum->is_unloaded = sum->is_unloaded && site->is_unloaded;
    sum->is_torn = sum->is_torn || site->is_torn;
    sum->lacks_totals = sum->lacks_totals || site->lacks_totals;
    sum->is_estimate = sum->is_estimate || site->is_estimate;
}

/* First address of pairs, above all addresses of programs and kernels. */
#define PAIRS UINT64_C(0xffffffff00000000)

struct profile_place profile_place_of_pair(struct profile *profile,
                                           const char *pair)
{
    return (struct profile_place){
        PAIRS + text_pool_add(&profile->labels, pair), PROFILE_NO_MODULE
    };
}

const char *profile_pair(const struct profile *profile, uint32_t place)
{
    uint64_t number = profile->stacks.places[place].address - PAIRS;

    return number < profile->labels.count ? profile->labels.texts[number]
                                          : NULL;
}

const char *profile_next_pair(const struct profile *profile, uint32_t *frame)
{
    const char *pair = NULL;

    while (pair == NULL && stacks_is_frame(*frame)) {
        const struct profile_frame *at = &profile->stacks.frames[*frame];

        pair = profile_pair(profile, at->place);
        *frame = at->parent;
    }
    return pair;
}

/* Add the site to its stack, which belongs to `row`; return its number. */
static uint32_t add_stack(struct profile *profile,
                          const struct profile_site *site, uint32_t row)
{
    struct profile_stack stack = { .site = row,
                                   .place = STACK_NO_PLACE,
                                   .frame = site->frame,
                                   .amounts = site->amounts };
    const struct profile_place place = { site->place, site->module };
    const struct profile_place kind = { STACK_OF(site->kind),
                                        PROFILE_NO_MODULE };

    if (!profile->has_stacks)
        return row;
    if (site->label == NULL)
        stack.place = stacks_add_place(&profile->stacks, &place);
    if (site->kind != LEDGER_SITE_HEAP) {
        const struct profile_frame frame = { stack.place, stack.frame };
        size_t count = profile->stacks.place_count;

        stack.frame = stacks_add_frame(&profile->stacks, &frame);
        stack.place = stacks_add_place(&profile->stacks, &kind);
        profile->stacks.kind_count += profile->stacks.place_count - count;
    }
    return stacks_add(&profile->stacks, &stack, site->lifetimes);
}

void profile_begin_stacks(struct profile *profile)
{
    if (profile->has_stacks)
        return;
    profile->has_stacks = true;
    for (size_t i = 0; i < profile->site_count; i++)
        add_stack(profile, &profile->sites[i], (uint32_t)i);
}

uint32_t profile_add_site(struct profile *profile,
                          const struct profile_site *site)
{
    const size_t key_size = INDEX_KEY(struct profile_site, module);
    struct profile_site added = *site, *known;
    size_t count = profile->site_count;
    uint32_t number;

    if (((profile->kinds != 0 ? profile->kinds : PROFILE_MEMORY) &
         PROFILE_KIND(site->kind)) == 0)
        return UINT32_MAX;
    added.label = NULL;
    added.lifetimes = NULL;
    added.frame = STACK_WHOLE;
    number = INDEX_ADD(&profile->site_table, key_size, profile->sites,
                       profile->site_count, &added);
    INVARIANT(P3, number < profile->site_count);
    known = &profile->sites[number];
    if (number != count) {
        amounts_add(&known->amounts, &site->amounts);
        known->is_unloaded = known->is_unloaded && site->is_unloaded;
        known->is_estimate = known->is_estimate || site->is_estimate;
    } else if (site->label != NULL) {
        profile_label_site(profile, known, site->label);
    }
    lifetimes_merge(profile->arena, &known->lifetimes, site->lifetimes);
    INVARIANT(P1,
              index_table_find(&profile->site_table, key_size, profile->sites,
                               sizeof *site, site) == number);
    return add_stack(profile, site, number);
}

/* Return the run time; the last data point is when a running image was
   read. */
static uint64_t measure_duration(const struct profile *profile)
{
    const struct timeline *timeline = &profile->timeline;
    uint64_t start = UINT64_MAX, end = 0;

    if (profile->calls != NULL && profile->calls->has_times)
        return profile->calls->last - profile->calls->first;
    for (size_t i = 0; i < profile->image_count; i++) {
        const struct profile_image *image = &profile->images[i];

        if (image->start_ns < start)
            start = image->start_ns;
        if (image->end_ns > end)
            end = image->end_ns;
    }
    if (profile_is_running(profile) && timeline->count > 0 &&
        timeline->samples[timeline->count - 1].ns > end)
        end = timeline->samples[timeline->count - 1].ns;
    if (profile->since_ns != 0)
        start = profile->since_ns;
    return end > start ? end - start : 0;
}

uint64_t profile_rate(const struct profile *profile, uint64_t total)
{
    double rate = (double)total * 1e9 / (double)profile->duration_ns + 0.5;

    return rate < 0x1p64 ? (uint64_t)rate : UINT64_MAX;
}

/* Processes share the samples of inherited blocks stack by stack: a row has the
   errors of its stacks. */
static void settle_stack_errors(struct profile *profile)
{
    for (size_t i = 0; profile->has_stacks && i < profile->site_count; i++)
        profile->sites[i].amounts.error = (struct amounts_error){ 0 };
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        struct profile_stack *stack = &profile->stacks.stacks[i];
        struct profile_amounts *row = &profile->sites[stack->site].amounts;

        amounts_settle_error(&stack->amounts.error);
        amounts_error_add(&row->error, &stack->amounts.error);
    }
}

void profile_finish(struct profile *profile)
{
    bool is_running = profile_is_running(profile);

    index_table_free(&profile->site_table);
    stacks_finish(&profile->stacks);
    timeline_finish(&profile->timeline);
    profile->duration_ns = measure_duration(profile);
    profile->heap = (struct profile_amounts){ 0 };
    profile->maps = (struct profile_amounts){ 0 };
    profile->lifetimes = (struct lifetimes){ 0 };
    profile->torn_sites = profile->inaccurate_sites = 0;
    profile->slab_bytes = 0;
    /* An allocinfo text without rows has no totals. */
    profile->lacks_totals =
        profile->allocinfo_version != 0 && profile->site_count == 0;
    settle_stack_errors(profile);
    for (size_t i = 0; i < profile->site_count; i++) {
        struct profile_site *site = &profile->sites[i];

        amounts_settle_error(&site->amounts.error);
        if (site->kind < LEDGER_SITE_FILE)
            amounts_add(site->kind == LEDGER_SITE_MAP ? &profile->maps
                                                      : &profile->heap,
                        &site->amounts);
        if (site->lifetimes != NULL)
            lifetimes_add(&profile->lifetimes, site->lifetimes);
        site->is_torn = amounts_settle(&site->amounts, is_running);
        profile->torn_sites += site->is_torn;
        site->slab_bytes = site->label != NULL && strcmp(site->label->function,
                                                         "alloc_slab_page") == 0
                               ? site->amounts.live_bytes
                               : 0;
        profile->slab_bytes += site->slab_bytes;
        site->is_inaccurate =
            site->is_inaccurate || site->amounts.unseen_frees != 0;
        profile->inaccurate_sites += site->is_inaccurate;
        profile->lacks_totals = profile->lacks_totals || site->lacks_totals;
    }
    profile->callers = profile->sites;
    profile->caller_count = profile->site_count;
    amounts_settle(&profile->heap, is_running);
    amounts_settle(&profile->maps, is_running);
    profile->cut_stacks = 0;
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        struct profile_stack *stack = &profile->stacks.stacks[i];

        amounts_settle(&stack->amounts, is_running);
        profile->cut_stacks += stacks_is_cut(&profile->stacks, stack, NULL);
    }
}

bool profile_is_running(const struct profile *profile)
{
    for (size_t i = 0; i < profile->image_count; i++) {
        if (!profile->images[i].has_ended)
            return true;
    }
    return false;
}

bool profile_has_inherited(const struct profile *profile)
{
    return profile->heap.inherited_blocks != 0 ||
           profile->heap.inherited_bytes != 0 ||
           profile->maps.inherited_blocks != 0 ||
           profile->maps.inherited_bytes != 0;
}

bool profile_is_later(const struct profile *profile,
                      const struct profile *earlier)
{
    size_t known = 0;

    for (size_t i = 0; i < earlier->image_count; i++)
        for (size_t j = 0; j < profile->image_count; j++) {
            const struct profile_image *a = &profile->images[j];
            const struct profile_image *b = &earlier->images[i];

            known += a->pid == b->pid && a->start_ticks == b->start_ticks &&
                     a->start_ns == b->start_ns;
        }
    return known > 0 && known == earlier->image_count &&
           profile->history.is_chosen == earlier->history.is_chosen &&
           profile->sample_interval == earlier->sample_interval &&
           profile->heap.alloc_bytes >= earlier->heap.alloc_bytes &&
           profile->heap.free_bytes >= earlier->heap.free_bytes;
}
