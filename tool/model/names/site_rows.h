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

/* NULL is the empty text. */
struct text_view site_rows_text(const char *string);

/* Order by file, line, function and module: 0 if the rows are of one place. */
int site_rows_compare(const struct allocinfo_row *a,
                      const struct allocinfo_row *b);

/*
 * Sites of one place, module or folder, or what has one label, as one.
 *
 * A function that is inlined has a site in each of its callers, and a kernel
 * has a row for each. Sites are of one place if their file, line, function and
 * module are the same and they are of one kind.
 *
 * The sum of a module or folder has the function "*", for any, and no line. A
 * module's is in the file that the module is, or in "built-in" or "unknown"; a
 * folder's in the folder, whose name ends with "/", of the module "*".
 */
enum site_sum_by {
    SITE_SUM_NONE, /* sites stay as they are */
    SITE_SUM_PLACE,
    SITE_SUM_MODULE,
    SITE_SUM_FOLDER,
    SITE_SUM_LABEL, /* the function is the label's pairs, in order, or none */
};

struct site_sum {
    enum site_sum_by by;
    uint64_t depth; /* of folders: so many names are kept, of "/a/b/c.c" two at
                       most; 0: of a path from "/" on all, else two */
};

/*
 * Sum them in a finished profile and its names; the first of them stays where
 * it was. Those that are left out are summed apart. Sums of modules,
 * folders and labels know no stacks.
 */
void site_sum(struct profile *profile, struct site_names *names,
              const struct site_sum *how);
