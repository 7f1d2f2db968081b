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
 *     site_rows_open(&rows, profile, names);
 *     show(&rows.rows[i]); // of profile->sites[i]
 *     site_rows_close(&rows);
 */
#pragma once

#include <stddef.h>

#include "format/text/allocinfo_filter.h"
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

/* Of a finished profile, which must stay, as must the names. */
void site_rows_open(struct site_rows *rows, const struct profile *profile,
                    const struct site_names *names);
void site_rows_close(struct site_rows *rows);

/*
 * What the module of a row is called: that of one without a line, MODULE:0, is
 * the base name of its file, though it is the executable. Length 0: it is built
 * in, or unknown.
 */
struct text_view site_rows_module(const struct allocinfo_row *row);

/*
 * Whether the row is wanted. A ledger's module may also be named by its path or
 * base name, the executable too; `module_path` is NULL where there is none.
 */
bool site_rows_match(const struct allocinfo_filter *filter,
                     const struct allocinfo_row *row, const char *module_path);

/* Whether a call would be, by its names alone; a function of C++ also by its
   name without arguments. */
bool site_rows_name_matches(const struct allocinfo_filter *filter,
                            const struct site_name *name, bool is_executable);

/* Order by file, line, function and module: 0 if the rows are of one place. */
int site_rows_compare(const struct allocinfo_row *a,
                      const struct allocinfo_row *b);
