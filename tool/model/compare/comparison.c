/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.c - see compare.h
 *
 * Sites of both sides are calls of call_numbers.c, known by their lines. A call
 * that stacks know on both sides takes the place that it has on the later side.
 */
#include "tool/model/compare/compare.h"

#include <math.h>

const struct compared_value compared_values[] = {
    { "live", MEASURE_LIVE_BYTES, MEASURE_LIVE_BLOCKS, false, "" },
    { "peak", MEASURE_PEAK_BYTES, MEASURE_PEAK_BLOCKS, false, "at the peak " },
    { "total", MEASURE_TOTAL_BYTES, MEASURE_TOTAL_BLOCKS, false, "allocated " },
    { "blocks", MEASURE_LIVE_BYTES, MEASURE_LIVE_BLOCKS, true, "" },
    { "temporary", MEASURE_COUNT, MEASURE_TEMPORARY, true, "temporary " },
    { "resident", MEASURE_RESIDENT, MEASURE_COUNT, false, "resident " },
};

const struct word_list compared_value_words = WORDS(compared_values);

enum measure compared_unknown(const struct compared_value *value,
                              const struct profile *profile)
{
    if (value->bytes != MEASURE_COUNT &&
        !measure_is_known(profile, value->bytes))
        return value->bytes;
    if (value->blocks != MEASURE_COUNT &&
        !measure_is_known(profile, value->blocks))
        return value->blocks;
    return MEASURE_COUNT;
}

int64_t comparison_deciding(const struct compared_value *value,
                            const struct comparison_amounts *amounts)
{
    return value->is_of_blocks ? amounts->blocks : amounts->bytes;
}

static void add(struct comparison_amounts *sum,
                const struct comparison_amounts *more)
{
    sum->bytes += more->bytes;
    sum->blocks += more->blocks;
    kept_error_add(&sum->bytes_error, more->bytes_error);
    kept_error_add(&sum->blocks_error, more->blocks_error);
}

void comparison_add(struct comparison_row *sum,
                    const struct comparison_row *row)
{
    add(&sum->before, &row->before);
    add(&sum->after, &row->after);
    add(&sum->growth, &row->growth);
    add(&sum->allocated, &row->allocated);
    add(&sum->freed, &row->freed);
}

/* Number a text. Texts are equal if they look equal in an allocinfo text. */
static uint32_t number_text(struct text_pool *pool, const char *text)
{
    char *shown = text == NULL ? NULL : memory_text(text);
    uint32_t number;

    for (char *at = shown; at != NULL && *at != '\0'; at++)
        *at = allocinfo_shown(*at);
    number = text_pool_add(pool, shown);
    free(shown);
    return number;
}

static void add_call(struct call_numbers *numbers, uint32_t side,
                     const struct named_profile *of, size_t site)
{
    const struct site_name *name = &of->names->sites[site];
    char *label = site_label(&of->profile->callers[site], name);
    const struct numbered_call call = {
        .group = { number_text(&numbers->texts, label),
                   number_text(&numbers->texts,
                               site_module(of->profile,
                                           &of->profile->callers[site], name)),
                   number_text(&numbers->texts, site_file(name)) },
        .side = side,
        .module = PROFILE_NO_MODULE,
        .position = name->file == NULL ? 0 : name->line,
        .has_line = true,
    };

    free(label);
    ARRAY_ADD(numbers->calls, numbers->call_count, call);
}

/* Give sites that stacks know as one call one place: the first one on the later
   side. */
static void match_calls(struct call_numbers *numbers,
                        const struct comparison_side sides[2])
{
    size_t *first =
        memory_zeroed(sides[1].call_limit + UINT64_C(1), sizeof *first);

    for (unsigned side = 2; side-- > 0;) {
        for (size_t i = 0; i < sides[side].count; i++) {
            uint32_t number = sides[side].calls[sides[side].sites[i]];
            size_t index = i + (side == 1 ? sides[0].count : 0);
            struct numbered_call *call = &numbers->calls[index];

            if (number == INDEX_NONE)
                continue;
            if (side == 1 && first[number] == 0)
                first[number] = index + 1;
            if (first[number] == 0)
                continue;
            call->group = numbers->calls[first[number] - 1].group;
            call->position = numbers->calls[first[number] - 1].position;
        }
    }
    free(first);
}

static int compare_calls(const void *left, const void *right)
{
    const struct numbered_call *a = *(struct numbered_call *const *)left;
    const struct numbered_call *b = *(struct numbered_call *const *)right;

    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return (a > b) - (a < b);
}

static void name_row(struct comparison *comparison, struct comparison_row *row,
                     const struct named_profile *of, size_t site)
{
    const struct site_name *name = &of->names->sites[site];

    row->function = name->function;
    if (row->function == NULL) {
        char *label = site_label(&of->profile->callers[site], name);

        row->function = text_pool_keep(&comparison->labels, label);
        free(label);
    }
    row->file = site_file(name);
    row->line = name->file == NULL ? 0 : name->line;
    row->module = site_module(of->profile, &of->profile->callers[site], name);
    row->object = name->module != NULL                ? base_name(name->module)
                  : row->line != 0                    ? NULL
                  : strcmp(row->file, "unknown") == 0 ? NULL
                                                      : base_name(row->file);
}

/* Add a site to its row. `is_place`: it is the first of its place. */
static void add_site(struct comparison *comparison,
                     const struct compared_value *value,
                     const struct comparison_side *side, size_t site,
                     const struct numbered_call *call, bool is_place)
{
    const struct profile_site *of = &side->of.profile->callers[site];
    struct comparison_row *row = &comparison->rows[call->number];
    bool is_before = call->side == 0;
    size_t *places = is_before ? &row->places_before : &row->places_after;

    if (*places == 0) {
        name_row(comparison, row, &side->of, site);
        *(is_before ? &row->line_before : &row->line_after) = call->position;
    }
    if (row->line != 0)
        row->last_line = call->position;
    *places += is_place;
    comparison_row_add(row, call->side, value, &of->amounts, side->of.profile,
                       comparison->is_of_one_process);
    row->is_marked[call->side] |= of->is_inaccurate;
}

/* Return false if the growth of the row, or of all, does not fit. */
static bool finish_row(struct comparison *comparison,
                       struct comparison_row *row, struct sum_range sums[2])
{
    const bool *is_marked = row->is_marked;

    row->state = row->places_before == 0  ? COMPARISON_NEW
                 : row->places_after == 0 ? COMPARISON_GONE
                                          : COMPARISON_BOTH;
    row->is_inaccurate = is_marked[0] || is_marked[1];
    row->is_unsure = is_marked[0] != is_marked[1];
    comparison->unsure_rows += row->is_unsure;
    comparison->inaccurate_rows += row->is_inaccurate && !row->is_unsure;
    if (__builtin_sub_overflow(row->after.bytes, row->before.bytes,
                               &row->growth.bytes) ||
        __builtin_sub_overflow(row->after.blocks, row->before.blocks,
                               &row->growth.blocks) ||
        !sum_range_add(&sums[0], row->growth.bytes) ||
        !sum_range_add(&sums[1], row->growth.blocks))
        return false;
    comparison_add(&comparison->sum, row);
    return true;
}

static bool fits(const struct comparison_side *side,
                 const struct compared_value *value)
{
    struct sum_range sums[2] = { 0 };

    for (size_t i = 0; i < side->count; i++) {
        const struct profile_amounts *amounts =
            &side->of.profile->callers[side->sites[i]].amounts;

        if (!sum_range_add(&sums[0], compared_of(amounts, value->bytes)) ||
            !sum_range_add(&sums[1], compared_of(amounts, value->blocks)))
            return false;
    }
    return true;
}

static void add_sites(struct comparison *comparison,
                      const struct compared_value *value,
                      const struct comparison_side sides[2],
                      const struct call_numbers *numbers)
{
    struct numbered_call **order =
        memory_zeroed(numbers->call_count + 1, sizeof(*order));

    for (size_t i = 0; i < numbers->call_count; i++)
        order[i] = &numbers->calls[i];
    ARRAY_SORT(order, numbers->call_count, compare_calls);
    for (size_t i = 0; i < numbers->call_count; i++) {
        const struct numbered_call *call = order[i];
        size_t index = (size_t)(call - numbers->calls) -
                       (call->side == 0 ? 0 : sides[0].count);

        add_site(comparison, value, &sides[call->side],
                 sides[call->side].sites[index], call,
                 i == 0 || call->number != order[i - 1]->number ||
                     call->side != order[i - 1]->side ||
                     call->position != order[i - 1]->position);
    }
    free(order);
}

int comparison_open(struct comparison *comparison,
                    const struct compared_value *value,
                    const struct comparison_side sides[2])
{
    struct call_numbers numbers = { 0 };
    struct sum_range sums[2] = { 0 };
    bool has_room = fits(&sides[0], value) && fits(&sides[1], value);

    *comparison = (struct comparison){
        .is_of_one_process =
            profile_is_later(sides[1].of.profile, sides[0].of.profile),
    };
    if (!has_room)
        return COMPARISON_E_TOO_LARGE;
    for (unsigned side = 0; side < 2; side++) {
        for (size_t i = 0; i < sides[side].count; i++)
            add_call(&numbers, side, &sides[side].of, sides[side].sites[i]);
    }
    if (sides[0].calls != NULL && sides[1].calls != NULL)
        match_calls(&numbers, sides);
    call_numbers_find(&numbers);
    comparison->count = numbers.count;
    comparison->rows =
        memory_zeroed(numbers.count + UINT64_C(1), sizeof *comparison->rows);
    add_sites(comparison, value, sides, &numbers);
    call_numbers_free(&numbers);
    for (size_t i = 0; i < comparison->count && has_room; i++)
        has_room = finish_row(comparison, &comparison->rows[i], sums);
    return has_room ? 0 : COMPARISON_E_TOO_LARGE;
}

void comparison_close(struct comparison *comparison)
{
    free(comparison->rows);
    text_pool_free(&comparison->labels);
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

/* NULL is the empty text. */
static int compare_texts(const char *a, const char *b)
{
    const struct text_view left = { a, a == NULL ? 0 : strlen(a) };
    const struct text_view right = { b, b == NULL ? 0 : strlen(b) };

    return allocinfo_compare_texts(left, right);
}

static int compare_places(const struct comparison_row *a,
                          const struct comparison_row *b)
{
    int order = compare_texts(a->file, b->file);

    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    if (order == 0)
        order = compare_texts(a->function, b->function);
    return order != 0 ? order : compare_texts(a->module, b->module);
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
        return compare_texts(a->function, b->function);
    case FILE_LINE:
        return compare_places(a, b);
    default: /* MODULE */
        return compare_texts(a->module, b->module);
    }
}

/* Break ties by growth and place: no two rows are equal. */
static int compare_rows(const void *left, const void *right, void *order)
{
    const struct comparison_row *a = left, *b = right;
    int result = compare(*(const unsigned *)order, a, b);

    if (result == 0)
        result = compare(GROWTH, a, b);
    if (result == 0)
        result = compare(BLOCKS, a, b);
    return result != 0 ? result : compare_places(a, b);
}

void comparison_sort(struct comparison *comparison, unsigned order)
{
    qsort_r(comparison->rows, comparison->count, sizeof *comparison->rows,
            compare_rows, &order);
}
