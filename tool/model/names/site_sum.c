/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_sum.c - see site_choice.h
 *
 * Sites of a module, folder or label first get one name, so that they are of
 * one place.
 */
#include "tool/model/names/site_choice.h"

#include <inttypes.h>

/* Return the length of the folders to keep of a path, with the last slash. */
static size_t folder_length(const char *path, uint64_t depth)
{
    bool is_whole = depth == 0 && path[0] == '/';
    size_t length = 0;
    uint64_t names = 0;

    for (size_t i = 0; path[i] != '\0'; i++) {
        if (path[i] != '/')
            continue;
        length = i + 1;
        names += i > 0 && (i > 1 || path[0] != '.');
        if (!is_whole && names == (depth == 0 ? 2 : depth))
            break;
    }
    return length;
}

static void call_by_group(struct profile *profile, struct profile_site *site,
                          struct site_name *name, const struct site_sum *how)
{
    bool is_folder = how->by == SITE_SUM_FOLDER;
    const char *file = site_file(name);
    size_t length = folder_length(file, how->depth);
    OWNED char *folder =
        memory_print("%.*s", is_folder && length > 0 ? (int)length : 2,
                     is_folder && length > 0 ? file : "./");
    const struct profile_label label = {
        .function = "*",
        .file = is_folder              ? folder
                : name->module != NULL ? name->module
                : site->label != NULL  ? "built-in"
                                       : "unknown",
        .module = is_folder                                  ? "*"
                  : site_module(profile, site, name) != NULL ? name->module
                                                             : NULL,
        .pairs = "",
    };
    bool has_path = site->label == NULL && !is_folder;

    profile_label_site(profile, site, &label);
    *name = (struct site_name){ .function = site->label->function,
                                .file = site->label->file,
                                .module = has_path ? name->module
                                                   : site->label->module };
}

/* Return a text that sites of one place have in common. Lengths come first, so
   that names of any bytes are told apart. */
static char *place_key(const struct profile *profile,
                       const struct profile_site *site,
                       const struct site_name *name)
{
    const char *file = site_file(name);
    const char *module = site_module(profile, site, name);
    OWNED char *function = site_label(site, name);
    char *key = memory_print(
        "%u %d %" PRIu64 " %zu %zu %s%s%s", site->kind, site->is_left_out,
        name->file == NULL ? 0 : name->line, strlen(file), strlen(function),
        file, function, module == NULL ? "" : module);

    for (char *at = key; *at != '\0'; at++)
        *at = allocinfo_shown(*at);
    return key;
}

/* Return the number of each site's place, in the order of first sites. */
static uint32_t *find_places(const struct profile *profile,
                             const struct site_names *names)
{
    uint32_t *places = memory_zeroed(profile->caller_count + 1, sizeof *places);
    struct text_pool keys = { 0 };

    for (size_t i = 0; i < profile->caller_count; i++) {
        OWNED char *key =
            place_key(profile, &profile->callers[i], &names->sites[i]);

        places[i] = text_pool_add(&keys, key);
    }
    text_pool_free(&keys);
    return places;
}

static void join_all(struct profile *profile, struct site_names *names,
                     const uint32_t *places)
{
    size_t kept = 0;

    profile->inaccurate_sites = names->unresolved = 0;
    for (size_t i = 0; i < profile->caller_count; i++) {
        if (places[i] < kept) {
            struct profile_site *sum = &profile->callers[places[i]];
            const struct profile_site *site = &profile->callers[i];

            amounts_add_settled(&sum->amounts, &site->amounts);
            sum->slab_bytes += site->slab_bytes;
            profile_join_marks(sum, site);
            sum->is_sum = true;
            lifetimes_merge(profile->arena, &sum->lifetimes, site->lifetimes);
            continue;
        }
        profile->callers[kept] = profile->callers[i];
        names->sites[kept++] = names->sites[i];
    }
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        uint32_t *site = &profile->stacks.stacks[i].site;

        *site = places[*site];
    }
    profile->caller_count = kept;
    for (size_t i = 0; i < kept; i++) {
        profile->inaccurate_sites += profile->callers[i].is_inaccurate;
        names->unresolved += names->sites[i].function == NULL;
    }
}

enum { PAIRS_SHOWN = 16 };

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Return the label of a stack; the caller frees it. */
static char *label_of(const struct profile *profile, uint32_t frame)
{
    const char *pairs[PAIRS_SHOWN], *pair;
    char *text = NULL, *longer;
    size_t count = 0;

    while (count < PAIRS_SHOWN &&
           (pair = profile_next_pair(profile, &frame)) != NULL)
        pairs[count++] = pair;
    if (count == 0)
        return memory_text("(no label)");
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++) {
        longer = memory_print("%s%s%s", i == 0 ? "" : text, i == 0 ? "" : ", ",
                              pairs[i]);
        free(text);
        text = longer;
    }
    return text;
}

/* Return the site of a stack, named by the stack's label. */
static struct profile_site site_of_stack(struct profile *profile,
                                         struct profile_stack *stack)
{
    struct profile_site site = profile->callers[stack->site];
    OWNED char *text = label_of(profile, stack->frame);

    site.label = NULL;
    site.frame = stack->frame;
    site.amounts = stack->amounts;
    site.lifetimes = stacks_lifetimes(&profile->stacks, stack);
    stack->lifetimes = 0;
    profile_label_site(
        profile, &site,
        &(struct profile_label){ .function = text, .file = "", .pairs = "" });
    return site;
}

/* Make each stack a site. Keep sites without stacks. */
static void call_all_by_label(struct profile *profile, struct site_names *names)
{
    size_t count = profile->stacks.stack_count, all = profile->caller_count;
    struct profile_site *sites =
        arena_zeroed(profile->arena, count + all + 1, sizeof *sites);
    struct site_name *called =
        arena_zeroed(profile->arena, count + all + 1, sizeof *called);
    OWNED bool *has_stack = memory_zeroed(all + 1, sizeof *has_stack);

    for (size_t i = 0; i < count; i++) {
        has_stack[profile->stacks.stacks[i].site] = true;
        sites[i] = site_of_stack(profile, &profile->stacks.stacks[i]);
        called[i].function = sites[i].label->function;
        profile->stacks.stacks[i].site = (uint32_t)i;
    }
    for (size_t i = 0; i < all; i++) {
        called[count] = names->sites[i];
        if (!has_stack[i])
            sites[count++] = profile->callers[i];
    }
    arena_release(profile->arena, profile->callers);
    arena_release(profile->arena, names->sites);
    profile->callers = sites;
    profile->caller_count = count;
    names->sites = called;
}

void site_sum(struct profile *profile, struct site_names *names,
              const struct site_sum *how)
{
    OWNED uint32_t *places = NULL;

    if (how->by == SITE_SUM_NONE)
        return;
    if (profile->callers == profile->sites) {
        profile->callers =
            arena_zeroed(profile->arena, profile->caller_count + 1,
                         sizeof *profile->callers);
        if (profile->caller_count != 0)
            memcpy(profile->callers, profile->sites,
                   profile->caller_count * sizeof *profile->callers);
    }
    if (how->by == SITE_SUM_LABEL)
        call_all_by_label(profile, names);
    for (size_t i = 0;
         i < profile->caller_count &&
         (how->by == SITE_SUM_MODULE || how->by == SITE_SUM_FOLDER);
         i++)
        call_by_group(profile, &profile->callers[i], &names->sites[i], how);
    if (how->by != SITE_SUM_PLACE)
        profile->has_stacks = false;
    profile->history.is_joined = !profile->has_stacks;
    places = find_places(profile, names);
    join_all(profile, names, places);
}
