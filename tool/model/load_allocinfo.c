/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_allocinfo.c - the rows of an allocinfo text, added to a profile
 *
 * A profile keeps what was allocated and what was freed, and live values are
 * the difference. A row knows the difference, and its totals or not; what was
 * freed follows, modulo 2^64. Rows with which some sum would not fit are refused.
 */
#include "tool/model/load_allocinfo.h"

#include <stdlib.h>
#include <string.h>

#include "format/allocinfo_lines.h"

/* Clear of all others. */
enum { TOO_LARGE = PROFILE_E_NO_MEMORY - 1 };

/* Texts of one row as strings; the block grows with the longest row. */
struct row_strings {
    char *bytes;
    size_t capacity;
    size_t used;
};

bool is_allocinfo(const unsigned char *bytes, size_t size)
{
    return allocinfo_lines_are((const char *)bytes, size);
}

static int make_room(struct row_strings *strings, size_t size)
{
    char *bytes;

    strings->used = 0;
    if (size <= strings->capacity)
        return 0;
    bytes = realloc(strings->bytes, size * 2);
    if (bytes == NULL)
        return PROFILE_E_NO_MEMORY;
    strings->bytes = bytes;
    strings->capacity = size * 2;
    return 0;
}

static const char *add_string(struct row_strings *strings,
                              struct allocinfo_text text)
{
    char *string = strings->bytes + strings->used;

    memcpy(string, text.bytes, text.length);
    string[text.length] = '\0';
    strings->used += text.length + 1;
    return string;
}

/* Whether all sums fit with the row, too. */
static bool fits(struct profile *profile, const struct allocinfo_row *row)
{
    struct sum_range *ranges = profile->ranges;
    int64_t calls = (int64_t)row->calls;
    int64_t frees = 0;

    if (row->has_totals &&
        __builtin_sub_overflow(row->total_calls, calls, &frees))
        return false;
    return row->total_calls <= INT64_MAX && row->total_bytes <= INT64_MAX &&
           sum_range_add(&ranges[0], row->bytes) &&
           sum_range_add(&ranges[1], calls) &&
           sum_range_add(&ranges[2], frees) &&
           sum_range_add(&ranges[3], (int64_t)row->total_calls) &&
           sum_range_add(&ranges[4], (int64_t)row->total_bytes);
}

/* `size` is that of the row, whose texts do not overlap. */
static int load_row(struct profile *profile, const struct allocinfo_row *row,
                    size_t size, struct row_strings *strings)
{
    struct profile_label label = { .line = row->line };
    struct profile_site site = {
        .kind = LEDGER_SITE_HEAP,
        .module = PROFILE_NO_MODULE,
        .place = profile->site_count,
        .label = &label,
        .is_inaccurate = row->is_inaccurate,
        .lacks_totals = !row->has_totals,
        .amounts = {
            .alloc_blocks = row->total_calls,
            .alloc_bytes = row->total_bytes,
            .free_blocks = row->total_calls - row->calls,
            .free_bytes = row->total_bytes - (uint64_t)row->bytes,
        },
    };

    if (make_room(strings, size + 4) < 0)
        return PROFILE_E_NO_MEMORY;
    label.function = add_string(strings, row->function);
    label.file = add_string(strings, row->file);
    label.pairs = add_string(strings, row->pairs);
    if (row->module.length > 0)
        label.module = add_string(strings, row->module);
    return profile_add_site(profile, &site);
}

static int load_rows(struct allocinfo_lines *lines, struct profile *profile)
{
    struct row_strings strings = { 0 };
    struct allocinfo_row row;
    int status;

    while ((status = allocinfo_lines_next(lines, &row)) > 0) {
        row.is_inaccurate = row.is_inaccurate || lines->is_log;
        status = fits(profile, &row)
                     ? load_row(profile, &row, lines->at - lines->row, &strings)
                     : TOO_LARGE;
        if (status < 0)
            break;
    }
    free(strings.bytes);
    return status;
}

int load_allocinfo(const unsigned char *bytes, size_t size,
                   struct profile *profile, struct source_failure *failure)
{
    struct allocinfo_lines lines;
    int status;

    allocinfo_lines_open(&lines, (const char *)bytes, size);
    profile->allocinfo_version = lines.version;
    status = load_rows(&lines, profile);
    profile->is_cut_text = profile->is_cut_text || lines.is_cut;
    profile->is_log_text = profile->is_log_text || lines.is_log;
    if (status == 0)
        return 0;
    if (status == PROFILE_E_NO_MEMORY)
        return source_fail(failure, "there is not enough memory to load it",
                           "free some and try again");
    if (status == TOO_LARGE)
        return source_fail_at_line(
            failure, lines.number,
            "a sum with this row does not fit into 64 bits",
            "choose fewer rows first, as tally allocinfo --file=NAME does");
    return source_fail_at_line(failure, lines.number + 1,
                               allocinfo_error_why(status),
                               "read /proc/allocinfo again");
}
