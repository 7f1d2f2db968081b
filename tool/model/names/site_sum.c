/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_sum.c - see site_sum.h
 *
 * Sites of a module or folder are called the same first, so that they are of
 * one place.
 */
#include "tool/model/names/site_sum.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/model/names/site_rows.h"
#include "tool/tables/memory.h"
#include "tool/tables/text_pool.h"

/* What is kept of a path: its folders, the last slash included. */
static size_t folder_length(struct text_view path, uint64_t depth)
{
    bool is_whole = depth == 0 && path.length > 0 && path.bytes[0] == '/';
    size_t length = 0;
    uint64_t names = 0;

    for (size_t i = 0; i < path.length; i++) {
        if (path.bytes[i] != '/')
            continue;
        length = i + 1;
        names += i > 0 && (i > 1 || path.bytes[0] != '.');
        if (!is_whole && names == (depth == 0 ? 2 : depth))
            break;
    }
    return length;
}

/* `row` has what it was called. */
static void call_by_group(struct profile *profile, struct profile_site *site,
                          struct site_name *name,
                          const struct allocinfo_row *row,
                          const struct site_sum *how)
{
    bool is_folder = how->by == SITE_SUM_FOLDER;
    size_t length = folder_length(row->file, how->depth);
    char *folder =
        memory_got(is_folder && length > 0 ? strndup(row->file.bytes, length)
                                           : strdup("./"));
    const struct profile_label label = {
        .function = "*",
        .file = is_folder              ? folder
                : name->module != NULL ? name->module
                : site->label != NULL  ? "built-in"
                                       : "unknown",
        .module = is_folder                ? "*"
                  : row->module.length > 0 ? name->module
                                           : NULL,
        .pairs = "",
    };
    bool has_path = site->label == NULL && !is_folder;

    profile_label_site(profile, site, &label);
    free(folder);
    *name = (struct site_name){ .function = site->label->function,
                                .file = site->label->file,
                                .module = has_path ? name->module
                                                   : site->label->module };
}

/* Of rows that site_rows_compare() finds the same. Lengths come first, so that
   names of any bytes cannot be mistaken. */
static char *place_key(const struct profile_site *site,
                       const struct allocinfo_row *row)
{
    char *key = memory_print(
        "%u %d %" PRIu64 " %zu %zu %.*s%.*s%.*s", site->kind, site->is_left_out,
        row->line, row->file.length, row->function.length,
        (int)row->file.length, row->file.bytes, (int)row->function.length,
        row->function.bytes, (int)row->module.length,
        row->module.length == 0 ? "" : row->module.bytes);

    for (char *at = key; *at != '\0'; at++)
        *at = allocinfo_shown(*at);
    return key;
}

/* Of each site the number of its place, in the order of their first sites. */
static uint32_t *find_places(const struct profile *profile,
                             const struct site_names *names)
{
    uint32_t *places = memory_zeroed(profile->site_count + 1, sizeof *places);
    struct text_pool keys = { 0 };
    struct site_rows rows;

    site_rows_open(&rows, profile, names);
    for (size_t i = 0; i < rows.count; i++) {
        char *key = place_key(&profile->sites[i], &rows.rows[i]);

        places[i] = text_pool_add(&keys, key);
        free(key);
    }
    text_pool_free(&keys);
    site_rows_close(&rows);
    return places;
}

static void join(struct arena *arena, struct profile_site *leader,
                 struct profile_site *site)
{
    amounts_add_settled(&leader->amounts, &site->amounts);
    leader->slab_bytes += site->slab_bytes;
    profile_join_marks(leader, site);
    leader->is_sum = true;
    lifetimes_merge(arena, &leader->lifetimes, site->lifetimes);
}

static void join_all(struct profile *profile, struct site_names *names,
                     const uint32_t *places)
{
    size_t kept = 0;

    profile->inaccurate_sites = names->unresolved = 0;
    for (size_t i = 0; i < profile->site_count; i++) {
        if (places[i] < kept) {
            join(profile->arena, &profile->sites[places[i]],
                 &profile->sites[i]);
            continue;
        }
        profile->sites[kept] = profile->sites[i];
        names->sites[kept++] = names->sites[i];
    }
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        uint32_t *site = &profile->stacks.stacks[i].site;

        *site = places[*site];
    }
    profile->site_count = kept;
    for (size_t i = 0; i < kept; i++) {
        profile->inaccurate_sites += profile->sites[i].is_inaccurate;
        names->unresolved += names->sites[i].function == NULL;
    }
}

static void call_all_by_group(struct profile *profile, struct site_names *names,
                              const struct site_sum *how)
{
    struct site_rows rows;

    site_rows_open(&rows, profile, names);
    for (size_t i = 0; i < profile->site_count; i++)
        call_by_group(profile, &profile->sites[i], &names->sites[i],
                      &rows.rows[i], how);
    site_rows_close(&rows);
    profile->has_stacks = false;
}

enum { PAIRS_SHOWN = 16 };

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The label of a stack; for the caller to free. */
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

/* The site that a stack adds to, as one that is called by its label. */
static struct profile_site site_of_stack(struct profile *profile,
                                         struct profile_stack *stack)
{
    struct profile_site site = profile->sites[stack->site];
    char *text = label_of(profile, stack->frame);

    site.label = NULL;
    site.frame = stack->frame;
    site.amounts = stack->amounts;
    site.lifetimes = stack->lifetimes;
    stack->lifetimes = NULL;
    profile_label_site(
        profile, &site,
        &(struct profile_label){ .function = text, .file = "", .pairs = "" });
    free(text);
    return site;
}

/* Each stack as a site. Those without one stay. */
static void call_all_by_label(struct profile *profile, struct site_names *names)
{
    size_t count = profile->stacks.stack_count, all = profile->site_count;
    struct profile_site *sites =
        arena_zeroed(profile->arena, count + all + 1, sizeof *sites);
    struct site_name *called =
        arena_zeroed(profile->arena, count + all + 1, sizeof *called);
    bool *has_stack = memory_zeroed(all + 1, sizeof *has_stack);

    for (size_t i = 0; i < count; i++) {
        has_stack[profile->stacks.stacks[i].site] = true;
        sites[i] = site_of_stack(profile, &profile->stacks.stacks[i]);
        called[i].function = sites[i].label->function;
        profile->stacks.stacks[i].site = (uint32_t)i;
    }
    for (size_t i = 0; i < all; i++) {
        called[count] = names->sites[i];
        if (!has_stack[i])
            sites[count++] = profile->sites[i];
    }
    free(has_stack);
    arena_release(profile->arena, profile->sites);
    arena_release(profile->arena, names->sites);
    profile->sites = sites;
    profile->site_count = count;
    profile->has_stacks = false;
    names->sites = called;
}

void site_sum(struct profile *profile, struct site_names *names,
              const struct site_sum *how)
{
    uint32_t *places;

    if (how->by == SITE_SUM_NONE)
        return;
    if (how->by == SITE_SUM_LABEL)
        call_all_by_label(profile, names);
    else if (how->by != SITE_SUM_PLACE)
        call_all_by_group(profile, names, how);
    places = find_places(profile, names);
    join_all(profile, names, places);
    free(places);
}
