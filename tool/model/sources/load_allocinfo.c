/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_allocinfo.c - load an allocinfo text
 *
 * A profile has allocated and freed amounts, and live values are the
 * difference. A row has the difference, and may have totals; freed amounts
 * follow, modulo 2^64. Rows with which some sum would overflow are refused.
 */
#include "tool/model/sources/sources.h"

/* Error apart from enum allocinfo_error. */
enum { TOO_LARGE = -100 };

/* Return a text of a row as a string in a copy of the row. */
static const char *string_in(char *copy, const char *row, struct text_view text)
{
    char *string = copy + (text.bytes - row);

    string[text.length] = '\0';
    return string;
}

/* Add a row to the sums; return false if one does not fit. */
static bool fits(struct profile *profile, const struct allocinfo_row *row)
{
    int64_t calls = (int64_t)row->calls, frees = 0;
    bool is_odd = row->total_calls > INT64_MAX ||
                  row->total_bytes > INT64_MAX ||
                  (row->has_totals &&
                   __builtin_sub_overflow(row->total_calls, calls, &frees));
    const int64_t numbers[] = { row->bytes, calls, frees,
                                (int64_t)row->total_calls,
                                (int64_t)row->total_bytes };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        is_odd = !sum_range_add(&profile->ranges[i], numbers[i]) || is_odd;
    return !is_odd;
}

/* Return what is live beyond the row's totals: it is older than they are. */
static uint64_t inherited(const struct allocinfo_row *row, uint64_t live,
                          uint64_t total)
{
    return row->has_totals && (int64_t)live > (int64_t)total ? live - total : 0;
}

/* Add a row, which stands in the text as `bytes`; each of its texts has a byte
   behind it. */
static void load_row(struct profile *profile, const struct allocinfo_row *row,
                     const char *bytes, size_t size)
{
    struct profile_label label = { .line = row->line };
    uint64_t more_blocks = inherited(row, row->calls, row->total_calls);
    uint64_t more_bytes =
        inherited(row, (uint64_t)row->bytes, row->total_bytes);
    struct profile_site site = {
        .kind = LEDGER_SITE_HEAP,
        .module = PROFILE_NO_MODULE,
        .place = profile->site_count,
        .label = &label,
        .is_inaccurate = row->is_inaccurate,
        .lacks_totals = !row->has_totals,
        .amounts = {
            .inherited_blocks = more_blocks,
            .inherited_bytes = more_bytes,
            .alloc_blocks = row->total_calls,
            .alloc_bytes = row->total_bytes,
            .free_blocks = row->total_calls + more_blocks - row->calls,
            .free_bytes = row->total_bytes + more_bytes - (uint64_t)row->bytes,
        },
    };
    /* One byte more, as the last line may lack its newline. */
    OWNED char *copy = memory_resized(NULL, size + 1, 1);

    memcpy(copy, bytes, size);
    label.function = string_in(copy, bytes, row->function);
    label.file = string_in(copy, bytes, row->file);
    label.pairs = string_in(copy, bytes, row->pairs);
    if (row->module.length > 0)
        label.module = string_in(copy, bytes, row->module);
    profile_add_site(profile, &site);
}

static int load_rows(struct allocinfo_lines *lines, struct profile *profile)
{
    struct allocinfo_row row;
    int status;

    while ((status = allocinfo_lines_next(lines, &row)) > 0) {
        if (!fits(profile, &row))
            return TOO_LARGE;
        load_row(profile, &row, lines->bytes + lines->row,
                 lines->at - lines->row);
    }
    return status;
}

int refuse_line(const struct allocinfo_lines *lines, int error,
                struct source_failure *failure)
{
    return source_fail_at_line(
        failure, lines->number + 1, allocinfo_error_why(error),
        error == ALLOCINFO_E_VERSION  ? "use a newer tally"
        : error == ALLOCINFO_E_SECOND ? "keep each report in its own file"
                                      : "remove the line from a copy");
}

int load_allocinfo(const unsigned char *bytes, size_t size,
                   struct profile *profile, struct source_failure *failure)
{
    struct allocinfo_lines lines;
    int status;

    allocinfo_lines_open(&lines, (const char *)bytes, size);
    profile->allocinfo_version = lines.version;
    status = load_rows(&lines, profile);
    profile->text = lines.remarks;
    if (status == 0)
        return 0;
    if (status == TOO_LARGE)
        return source_fail_at_line(
            failure, lines.number, "a sum overflows 64 bits with this row",
            "choose fewer rows first, as tally allocinfo --file=NAME does");
    return refuse_line(&lines, status, failure);
}
