/* SPDX-License-Identifier: Apache-2.0 */
/* site_rows.c - see site_rows.h */
#include "tool/model/names/site_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file of a row that has neither file nor module. */
static const char unknown[] = "unknown";

struct text_view site_rows_text(const char *string)
{
    if (string == NULL)
        string = "";
    return (struct text_view){ string, strlen(string) };
}

/* "MODULE+0xADDRESS", kept until the rows are closed. */
static const char *make_function(struct site_rows *rows, const char *module,
                                 const struct profile_site *site)
{
    char place[SITE_PLACE_SIZE];
    char *text =
        memory_print("%s+%s", base_name(module), site_place(place, site));

    rows->made[rows->made_count++] = text;
    return text;
}

/* A ledger that lost frees or allocations cannot tell whose they were. */
static bool has_lost(const struct profile *profile)
{
    return profile->counts[LEDGER_COUNT_lost_allocations] != 0 ||
           profile->counts[LEDGER_COUNT_lost_frees] != 0;
}

static void make_row(struct site_rows *rows, const struct profile *profile,
                     const struct profile_site *site,
                     const struct site_name *name, struct allocinfo_row *row)
{
    const char *module = name->module == NULL ? unknown : name->module;
    const char *function = name->function;

    if (function == NULL)
        function = make_function(rows, module, site);
    *row = (struct allocinfo_row){
        .bytes = site->amounts.live_bytes,
        .calls = (uint64_t)site->amounts.live_blocks,
        .bytes_variance = site->amounts.variance.live_bytes,
        .calls_variance = site->amounts.variance.live_blocks,
        .file = site_rows_text(name->file == NULL ? module : name->file),
        .line = name->file == NULL ? 0 : name->line,
        .function = site_rows_text(function),
        .is_inaccurate =
            site->is_inaccurate || site->is_torn || has_lost(profile),
        .has_totals = !site->lacks_totals,
        .total_calls = site->amounts.alloc_blocks,
        .total_bytes = site->amounts.alloc_bytes,
        .unseen_frees = site->amounts.unseen_frees,
        .is_unloaded = site->is_unloaded,
        .has_peak = profile->allocinfo_version == 0,
        .peak_seen = site->amounts.peak_seen,
        .has_rates = profile->duration_ns > 0,
    };
    if (row->has_rates) {
        row->calls_per_second = profile_rate(profile, row->total_calls);
        row->bytes_per_second = profile_rate(profile, row->total_bytes);
    }
    if (site->label != NULL ? site->label->module != NULL
                            : site->module != PROFILE_NO_MODULE &&
                                  !profile->modules[site->module].is_executable)
        row->module = site_rows_text(base_name(module));
    if (site->label != NULL && !site->is_sum)
        row->pairs = site_rows_text(site->label->pairs);
}

void site_rows_open(struct site_rows *rows, const struct profile *profile,
                    const struct site_names *names)
{
    size_t count = profile->site_count;

    *rows = (struct site_rows){
        .rows = memory_zeroed(count + 1, sizeof *rows->rows),
        .made = memory_zeroed(count + 1, sizeof *rows->made),
    };
    for (; rows->count < count; rows->count++)
        make_row(rows, profile, &profile->sites[rows->count],
                 &names->sites[rows->count], &rows->rows[rows->count]);
}

void site_rows_close(struct site_rows *rows)
{
    for (size_t i = 0; i < rows->made_count; i++)
        free(rows->made[i]);
    free(rows->made);
    free(rows->rows);
    *rows = (struct site_rows){ 0 };
}

struct text_view site_rows_module(const struct allocinfo_row *row)
{
    struct text_view name = row->file;
    const char *slash;

    if (row->line != 0 || row->module.length != 0)
        return row->module;
    if (allocinfo_compare_texts(name, site_rows_text(unknown)) == 0)
        return (struct text_view){ 0 };
    slash = memrchr(name.bytes, '/', name.length);
    if (slash != NULL) {
        name.length -= (size_t)(slash + 1 - name.bytes);
        name.bytes = slash + 1;
    }
    return name;
}

int site_rows_compare(const struct allocinfo_row *a,
                      const struct allocinfo_row *b)
{
    int order = allocinfo_compare_texts(a->file, b->file);

    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    if (order == 0)
        order = allocinfo_compare_texts(a->function, b->function);
    return order != 0 ? order : allocinfo_compare_texts(a->module, b->module);
}

/* Sites of a module or folder are called the same first, so that they are of
   one place. What is kept of a path: its folders, the last slash included. */
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
static void call_by_group(struct profile_site *site, struct site_name *name,
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

    profile_label_site(site, &label);
    free(folder);
    *name = (struct site_name){ .function = site->label->function,
                                .file = site->label->file,
                                .module = has_path ? name->module
                                                   : site->label->module };
}

/* A site with the row that it is known by; `leader` takes its amounts. */
struct member {
    const struct allocinfo_row *row;
    uint32_t kind;
    bool is_left_out;
    size_t site;
    size_t leader;
};

static int compare_places(const struct member *a, const struct member *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->is_left_out != b->is_left_out)
        return a->is_left_out ? 1 : -1;
    return site_rows_compare(a->row, b->row);
}

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    int order = compare_places(a, b);

    return order != 0 ? order : (a->site > b->site) - (a->site < b->site);
}

static int compare_sites(const void *left, const void *right)
{
    const struct member *a = left, *b = right;

    return (a->site > b->site) - (a->site < b->site);
}

/* Runs of equal members; the first of each leads. */
static void choose_leaders(struct member *members, size_t count)
{
    qsort(members, count, sizeof *members, compare_members);
    for (size_t i = 0; i < count; i++) {
        bool is_first =
            i == 0 || compare_places(&members[i - 1], &members[i]) != 0;

        members[i].leader = is_first ? members[i].site : members[i - 1].leader;
    }
    qsort(members, count, sizeof *members, compare_sites);
}

static void join(struct profile_site *leader, struct profile_site *site)
{
    amounts_add_settled(&leader->amounts, &site->amounts);
    leader->slab_bytes += site->slab_bytes;
    leader->is_inaccurate = leader->is_inaccurate || site->is_inaccurate;
    leader->is_unloaded = leader->is_unloaded && site->is_unloaded;
    leader->is_torn = leader->is_torn || site->is_torn;
    leader->lacks_totals = leader->lacks_totals || site->lacks_totals;
    leader->is_estimate = leader->is_estimate || site->is_estimate;
    leader->is_sum = true;
    if (leader->lifetimes == NULL) {
        leader->lifetimes = site->lifetimes;
        site->lifetimes = NULL;
    } else if (site->lifetimes != NULL) {
        lifetimes_add(leader->lifetimes, site->lifetimes);
    }
    profile_site_free(site);
}

/* Members are in the order of sites, so that leaders come before the led. */
static void join_all(struct profile *profile, struct site_names *names,
                     struct member *members)
{
    size_t kept = 0;

    profile->inaccurate_sites = names->unresolved = 0;
    for (size_t i = 0; i < profile->site_count; i++) {
        size_t leader = members[i].leader;

        if (leader != i) {
            join(&profile->sites[members[leader].site], &profile->sites[i]);
            continue;
        }
        members[i].site = kept; /* where it is from here on */
        profile->sites[kept] = profile->sites[i];
        names->sites[kept++] = names->sites[i];
    }
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        uint32_t *site = &profile->stacks.stacks[i].site;

        *site = (uint32_t)members[members[*site].leader].site;
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
        call_by_group(&profile->sites[i], &names->sites[i], &rows.rows[i], how);
    site_rows_close(&rows);
    profile->has_stacks = false;
}

void site_sum(struct profile *profile, struct site_names *names,
              const struct site_sum *how)
{
    size_t count = profile->site_count;
    struct member *members;
    struct site_rows rows;

    if (how->by == SITE_SUM_NONE)
        return;
    if (how->by != SITE_SUM_PLACE)
        call_all_by_group(profile, names, how);
    members = memory_zeroed(count + 1, sizeof *members);
    site_rows_open(&rows, profile, names);
    for (size_t i = 0; i < count; i++)
        members[i] = (struct member){
            .row = &rows.rows[i],
            .kind = profile->sites[i].kind,
            .is_left_out = profile->sites[i].is_left_out,
            .site = i,
        };
    choose_leaders(members, count);
    join_all(profile, names, members);
    site_rows_close(&rows);
    free(members);
}
