/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage.h - the part of a program that its recording covers
 *
 *     struct coverage coverage;
 *
 *     coverage_find(&coverage, profile);
 *     if ((coverage.lacks & COVERAGE(END)) != 0)
 *         printf("leaks: not judged: %s\n", coverage.why[COVERAGE_END]);
 *
 * Findings, budgets and reports name the parts that they need.
 */
#pragma once

#include "tool/model/profile/profile.h"

/* Parts, with their names in JSON. */
#define COVERAGE_LIST(X)                                       \
    X(START, "start")   /* blocks of the time before */        \
    X(OLDER, "older")   /* frees of these blocks */            \
    X(END, "end")       /* end of the process */               \
    X(CALLS, "calls")   /* calls of its allocator */           \
    X(FREES, "frees")   /* frees of recorded blocks */         \
    X(MEMORY, "memory") /* resident memory of its allocator */ \
    X(PEAKS, "peaks")   /* call sites' bytes at the peak */    \
    X(TEMPORARY, "temporary")                                  \
    X(REALLOCS, "reallocs")                                    \
    X(PAGES, "pages") /* resident memory, by use */            \
    X(HISTORY, "data_points")

enum coverage_part {
#define COVERAGE_ENUM(part, name) COVERAGE_##part,
    COVERAGE_LIST(COVERAGE_ENUM)
#undef COVERAGE_ENUM
        COVERAGE_PARTS
};

#define COVERAGE(part) (1u << COVERAGE_##part)

/* Parts without which a figure may be too low. */
#define COVERAGE_LOW (COVERAGE(START) | COVERAGE(CALLS) | COVERAGE(MEMORY))

struct coverage {
    unsigned lacks;               /* bits by enum coverage_part */
    char why[COVERAGE_PARTS][64]; /* reasons; "" if the part is covered */
    uint64_t older_frees;         /* frees of blocks of the time before */
};

void coverage_find(struct coverage *coverage, const struct profile *profile);

/* Return true if some calls or memory of the allocator were not recorded. */
bool coverage_is_partial(const struct profile *profile);

/* Return "busybox (static), 2 forked children": all that ran unrecorded, also
   in other processes of the recording. NULL if nothing did; the caller frees
   it. */
char *coverage_unrecorded(const struct profile *profile);
