/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_rows.h - the sites of a profile as rows of an allocinfo text
 *
 * The form in which ledgers and kernels' files can be filtered, summed and
 * compared with one another: a row is known by file, line, function and module.
 * The executable's sites are built in; those of a shared object have its base
 * name as their module. Without line information FILE:LINE is MODULE:0, and
 * without a name the function is MODULE+0xADDRESS.
 *
 *     struct site_rows rows;
 *
 *     if (site_rows_open(&rows, profile, names) == 0)
 *         show(&rows.rows[i]); // of profile->sites[i]
 *     site_rows_close(&rows);
 */
#ifndef TALLY_TOOL_MODEL_SITE_ROWS_H
#define TALLY_TOOL_MODEL_SITE_ROWS_H

#include <stddef.h>

#include "format/text/allocinfo_text.h"
#include "tool/model/names/site_names.h"
#include "tool/model/profile/profile.h"

struct site_rows {
    struct allocinfo_row
        *rows; /* texts are strings of the profile, names and us */
    size_t count;
    char **made; /* private: functions that are addresses */
    size_t made_count;
};

/*
 * Of a finished profile, which must stay, as must the names. 0, or -1 without
 * memory; site_rows_close() in either case.
 */
int site_rows_open(struct site_rows *rows, const struct profile *profile,
                   const struct site_names *names);
void site_rows_close(struct site_rows *rows);

/*
 * What the module of a row is called: that of one without a line, MODULE:0, is
 * the base name of its file, though it is the executable. Length 0: it is built
 * in, or unknown.
 */
struct allocinfo_text site_rows_module(const struct allocinfo_row *row);

/* NULL is the empty text. */
struct allocinfo_text site_rows_text(const char *string);

/* Order by file, line, function and module: 0 if the rows are of one place. */
int site_rows_compare(const struct allocinfo_row *a,
                      const struct allocinfo_row *b);

#endif /* TALLY_TOOL_MODEL_SITE_ROWS_H */
