/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.c - two sets of rows, place by place
 *
 * Both sides are sorted by function and line, and walked side by side, function
 * by function.
 */
#include "tool/model/compare/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/model/names/site_rows.h"
#include "tool/model/profile/amounts.h"
#include "tool/tables/memory.h"

/* What a side holds at a place, or at some of one function. */
struct place {
    const struct allocinfo_row *row;
    struct comparison_amounts amounts;
    bool is_inaccurate;
};

struct places {
    struct place *all;
    size_t count;
};

static int compare_functions(const struct place *a, const struct place *b)
{
    int order = allocinfo_compare_texts(a->row->file, b->row->file);

    if (order == 0)
        order = allocinfo_compare_texts(a->row->function, b->row->function);
    return order != 0 ? order
                      : allocinfo_compare_texts(a->row->module, b->row->module);
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int order = compare_functions(a, b);

    return order != 0
               ? order
               : (a->row->line > b->row->line) - (a->row->line < b->row->line);
}

static void add(struct comparison_amounts *sum,
                const struct comparison_amounts *more)
{
    sum->bytes += more->bytes;
    sum->blocks += more->blocks;
    sum->bytes_variance += more->bytes_variance;
    sum->blocks_variance += more->blocks_variance;
}

void comparison_add(struct comparison_row *sum,
                    const struct comparison_row *row)
{
    add(&sum->before, &row->before);
    add(&sum->after, &row->after);
    add(&sum->growth, &row->growth);
}

static void join(struct place *place, const struct place *other)
{
    add(&place->amounts, &other->amounts);
    place->is_inaccurate = place->is_inaccurate || other->is_inaccurate;
}

/* The places of a side, in order. */
static int open_places(struct places *places,
                       const struct comparison_side *side)
{
    struct sum_range bytes = { 0 }, blocks = { 0 };

    places->all = memory_zeroed(side->count + 1, sizeof *places->all);
    for (size_t i = 0; i < side->count; i++) {
        const struct allocinfo_row *row = &side->rows[i];

        places->all[i] = (struct place){
            .row = row,
            .amounts = { row->bytes, (int64_t)row->calls, row->bytes_variance,
                         row->calls_variance },
            .is_inaccurate = row->is_inaccurate,
        };
        if (!sum_range_add(&bytes, row->bytes) ||
            !sum_range_add(&blocks, (int64_t)row->calls))
            return COMPARISON_E_TOO_LARGE;
    }
    qsort(places->all, side->count, sizeof *places->all, compare_places);
    for (size_t i = 0; i < side->count; i++) {
        struct place *last = &places->all[places->count - (places->count > 0)];

        if (places->count > 0 && compare_places(last, &places->all[i]) == 0)
            join(last, &places->all[i]);
        else
            places->all[places->count++] = places->all[i];
    }
    return 0;
}

/* What is walked of both sides, and what became of it. */
struct walk {
    struct comparison *comparison;
    struct places before, after; /* what is left of them */
    struct sum_range bytes, blocks;
    bool is_too_large;
};

/* A row of some places of one function, of which there may be none on one
   side. */
static void add_row(struct walk *walk, const struct place *before,
                    size_t before_count, const struct place *after,
                    size_t after_count)
{
    struct comparison *comparison = walk->comparison;
    struct comparison_row row = {
        .place = after_count > 0 ? after->row : before->row,
        .line_before = before_count > 0 ? before->row->line : 0,
        .line_after = after_count > 0 ? after->row->line : 0,
        .places_before = before_count,
        .places_after = after_count,
        .state = before_count == 0  ? COMPARISON_NEW
                 : after_count == 0 ? COMPARISON_GONE
                                    : COMPARISON_BOTH,
    };
    struct place old = { 0 }, new = { 0 };

    for (size_t i = 0; i < before_count; i++)
        join(&old, &before[i]);
    for (size_t i = 0; i < after_count; i++)
        join(&new, &after[i]);
    row.before = old.amounts;
    row.after = new.amounts;
    row.is_inaccurate = old.is_inaccurate || new.is_inaccurate;
    row.is_unsure = old.is_inaccurate != new.is_inaccurate;
    if (__builtin_sub_overflow(row.after.bytes, row.before.bytes,
                               &row.growth.bytes) ||
        __builtin_sub_overflow(row.after.blocks, row.before.blocks,
                               &row.growth.blocks) ||
        !sum_range_add(&walk->bytes, row.growth.bytes) ||
        !sum_range_add(&walk->blocks, row.growth.blocks)) {
        walk->is_too_large = true;
        return;
    }
    comparison->rows[comparison->count++] = row;
    comparison_add(&comparison->sum, &row);
    comparison->unsure_rows += row.is_unsure;
    comparison->inaccurate_rows += row.is_inaccurate && !row.is_unsure;
}

/* Whether the lines of both sides are as far apart, one by one. */
static bool have_shifted(const struct places *before,
                         const struct places *after)
{
    if (before->count != after->count)
        return false;
    for (size_t i = 1; i < before->count; i++) {
        if (after->all[i].row->line - before->all[i].row->line !=
            after->all[0].row->line - before->all[0].row->line)
            return false;
    }
    return true;
}

/* Rows of equal lines; the other places come to the front. */
static void pair_lines(struct walk *walk, struct places *before,
                       struct places *after)
{
    size_t i = 0, j = 0, before_left = 0, after_left = 0;

    while (i < before->count || j < after->count) {
        int order = i == before->count ? 1
                    : j == after->count
                        ? -1
                        : compare_places(&before->all[i], &after->all[j]);

        if (order < 0)
            before->all[before_left++] = before->all[i++];
        else if (order > 0)
            after->all[after_left++] = after->all[j++];
        else
            add_row(walk, &before->all[i++], 1, &after->all[j++], 1);
    }
    before->count = before_left;
    after->count = after_left;
}

/* The places of one function. */
static void pair(struct walk *walk, struct places before, struct places after)
{
    if (!have_shifted(&before, &after))
        pair_lines(walk, &before, &after);
    if (before.count != after.count && before.count > 0 && after.count > 0) {
        add_row(walk, before.all, before.count, after.all, after.count);
        return;
    }
    for (size_t i = 0; i < before.count || i < after.count; i++)
        add_row(walk, &before.all[i], i < before.count, &after.all[i],
                i < after.count);
}

/* Take the places of a function, that of `first`, from the front. */
static struct places take(struct places *left, const struct place *first)
{
    struct places taken = { .all = left->all };

    while (taken.count < left->count &&
           compare_functions(&left->all[taken.count], first) == 0)
        taken.count++;
    left->all += taken.count;
    left->count -= taken.count;
    return taken;
}

static int walk_all(struct walk *walk)
{
    while (walk->before.count > 0 || walk->after.count > 0) {
        bool is_before =
            walk->after.count == 0 ||
            (walk->before.count > 0 &&
             compare_functions(walk->before.all, walk->after.all) < 0);
        const struct place *first =
            is_before ? walk->before.all : walk->after.all;
        struct places before = take(&walk->before, first);

        pair(walk, before, take(&walk->after, first));
    }
    return walk->is_too_large ? COMPARISON_E_TOO_LARGE : 0;
}

int comparison_open(struct comparison *comparison,
                    const struct comparison_side *before,
                    const struct comparison_side *after)
{
    struct places old = { 0 }, new = { 0 };
    int error;

    *comparison = (struct comparison){
        .rows = memory_zeroed(before->count + after->count + 1,
                              sizeof *comparison->rows),
    };
    error = open_places(&old, before);
    if (error == 0)
        error = open_places(&new, after);
    if (error == 0)
        error = walk_all(&(struct walk){
            .comparison = comparison, .before = old, .after = new });
    free(old.all);
    free(new.all);
    return error;
}

void comparison_close(struct comparison *comparison)
{
    free(comparison->rows);
    *comparison = (struct comparison){ 0 };
}

double comparison_percent(int64_t before, int64_t growth)
{
    if (growth == 0)
        return 0;
    if (before <= 0)
        return growth > 0 ? INFINITY : -INFINITY;
    return (double)growth * 100 / (double)before;
}

int comparison_by_change(int64_t a, int64_t b)
{
    uint64_t a_size = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t b_size = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;

    if (a_size == b_size)
        return (a < b) - (a > b);
    return a_size > b_size ? -1 : 1;
}

enum { GROWTH, BLOCKS, BEFORE, AFTER, FUNCTION, FILE_LINE, MODULE };

static const char *const orders[] = {
    [GROWTH] = "growth", [BLOCKS] = "blocks",     [BEFORE] = "before",
    [AFTER] = "after",   [FUNCTION] = "function", [FILE_LINE] = "file",
    [MODULE] = "module",
};

const struct word_list comparison_orders = WORDS(orders);

static int descending(int64_t a, int64_t b)
{
    return (a < b) - (a > b);
}

static int compare(unsigned order, const struct comparison_row *a,
                   const struct comparison_row *b)
{
    switch (order) {
    case GROWTH:
        return comparison_by_change(a->growth.bytes, b->growth.bytes);
    case BLOCKS:
        return comparison_by_change(a->growth.blocks, b->growth.blocks);
    case BEFORE:
        return descending(a->before.bytes, b->before.bytes);
    case AFTER:
        return descending(a->after.bytes, b->after.bytes);
    case FUNCTION:
        return allocinfo_compare_texts(a->place->function, b->place->function);
    case FILE_LINE:
        return site_rows_compare(a->place, b->place);
    default: /* MODULE */
        return allocinfo_compare_texts(a->place->module, b->place->module);
    }
}

/* Ties are broken by growth and place: no two rows are equal. */
static int compare_rows(const void *left, const void *right, void *order)
{
    const struct comparison_row *a = left, *b = right;
    int result = compare(*(const unsigned *)order, a, b);

    if (result == 0)
        result = compare(GROWTH, a, b);
    if (result == 0)
        result = compare(BLOCKS, a, b);
    return result != 0 ? result : site_rows_compare(a->place, b->place);
}

void comparison_sort(struct comparison *comparison, unsigned order)
{
    qsort_r(comparison->rows, comparison->count, sizeof *comparison->rows,
            compare_rows, &order);
}
