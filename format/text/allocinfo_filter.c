/* SPDX-License-Identifier: Apache-2.0 */
/* allocinfo_filter.c - filter the rows of an allocinfo text */
#include "format/text/allocinfo_text.h"

static bool has(const struct allocinfo_filter *filter,
                enum allocinfo_filter_mask field)
{
    return (filter->mask & (uint64_t)field) != 0;
}

bool allocinfo_filter_is_valid(const struct allocinfo_filter *filter)
{
    if ((filter->mask & ~(uint64_t)ALLOCINFO_FILTER_ALL) != 0)
        return false;
    return !has(filter, ALLOCINFO_FILTER_MIN_SIZE) ||
           !has(filter, ALLOCINFO_FILTER_MAX_SIZE) ||
           filter->min_size <= filter->max_size;
}

struct text_view allocinfo_last_bytes(struct text_view name)
{
    if (name.length > ALLOCINFO_FILTER_NAME_LIMIT) {
        name.bytes += name.length - ALLOCINFO_FILTER_NAME_LIMIT;
        name.length = ALLOCINFO_FILTER_NAME_LIMIT;
    }
    return name;
}

/* Compare a name; `wanted` may end with a star, which matches any rest. */
static bool is_wanted(struct text_view wanted, struct text_view name)
{
    if (wanted.length == 0 || wanted.bytes[wanted.length - 1] != '*')
        return allocinfo_compare_texts(allocinfo_last_bytes(wanted),
                                       allocinfo_last_bytes(name)) == 0;
    wanted.length--;
    if (name.length > wanted.length)
        name.length = wanted.length;
    return allocinfo_compare_texts(wanted, name) == 0;
}

bool allocinfo_filter_matches_names(const struct allocinfo_filter *filter,
                                    const struct allocinfo_row *row)
{
    if (has(filter, ALLOCINFO_FILTER_LINE) && filter->line != row->line)
        return false;
    if (has(filter, ALLOCINFO_FILTER_MODULE) &&
        !is_wanted(filter->module, row->module))
        return false;
    if (has(filter, ALLOCINFO_FILTER_FUNCTION) &&
        !is_wanted(filter->function, row->function))
        return false;
    return !has(filter, ALLOCINFO_FILTER_FILE) ||
           is_wanted(filter->file, row->file);
}

bool allocinfo_filter_matches_numbers(const struct allocinfo_filter *filter,
                                      const struct allocinfo_row *row)
{
    if (has(filter, ALLOCINFO_FILTER_INACCURATE) &&
        filter->is_inaccurate != row->is_inaccurate)
        return false;
    if (has(filter, ALLOCINFO_FILTER_MIN_SIZE) &&
        (uint64_t)row->bytes < filter->min_size)
        return false;
    return !has(filter, ALLOCINFO_FILTER_MAX_SIZE) ||
           (uint64_t)row->bytes <= filter->max_size;
}
