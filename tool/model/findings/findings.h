/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.h - what a reader of the accounts should do something about
 *
 *     struct finding found[FINDING_COUNT];
 *     size_t count = findings_find(profile, found);
 *
 * Thresholds are in one table, in findings.c. A finding of rows is of the worst
 * one; `others` counts the rest.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tool/model/names/site_names.h"
#include "tool/model/profile/profile.h"

enum finding_kind {
    FINDING_LOST, /* accounts lack something */
    FINDING_LEAK,
    FINDING_GROWTH,    /* holds more and more */
    FINDING_SPIKE,     /* the peak is far above what is usual */
    FINDING_CHURN,     /* freed at once, again and again */
    FINDING_REALLOCS,  /* realloc makes them grow by small steps */
    FINDING_SMALL,     /* so many blocks that their headers count */
    FINDING_SLACK,     /* resident memory of the heap in no live block */
    FINDING_UNTOUCHED, /* asked for and never written */
    FINDING_COUNT,
};

/* "leak" and so on, by enum finding_kind. */
extern const char *const finding_names[FINDING_COUNT];

#define FINDING_NO_SITE SIZE_MAX

struct finding {
    enum finding_kind kind;
    size_t site;   /* of the profile, or FINDING_NO_SITE */
    int64_t bytes; /* of FINDING_REALLOCS those of a step */
    uint64_t blocks;
    double share;  /* of what the kind is compared with, 0 to 1 */
    size_t others; /* further sites of that kind */
};

/* At most one of a kind, in the order above; of a finished profile that is
   summed by the calls that are to blame. */
size_t findings_find(const struct profile *profile,
                     struct finding found[FINDING_COUNT]);

/* "serve (server.c:120)", ": 1.2 MiB in 4,567 blocks; --leaks", and both
   together; the caller frees them. */
char *finding_call(const struct profile *profile,
                   const struct site_names *names, size_t site);
char *finding_figures(const struct finding *finding);
char *finding_text(const struct profile *profile,
                   const struct site_names *names,
                   const struct finding *finding);

/* Nanoseconds from the start of its first image when a profile is known to have
   held most; UINT64_MAX: not known, as when no sample met it. */
uint64_t findings_peak_time(const struct profile *profile);
