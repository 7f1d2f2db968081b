/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.h - problems worth fixing: leaks, growth, churn and so on
 *
 *     struct findings findings;
 *
 *     findings_find(&findings, profile);
 *
 * Each kind is one row of `finding_rules` in findings.c: its name, search,
 * needs, thresholds and words. A finding names the worst site of its kind;
 * `others` counts the rest. A kind is not judged if the recording lacks a part
 * that it needs.
 */
#pragma once

#include "tool/model/names/names.h"
#include "tool/model/profile/coverage.h"

enum { FINDING_LIMIT = 16 }; /* kinds, at most */

#define FINDING_NO_SITE SIZE_MAX

struct finding {
    const char *kind;   /* "leak" and so on */
    const char *option; /* option of tally report that shows more */
    const char *page;   /* fields of the page's address that show more */
    const char *words;  /* template of finding_figures() */
    size_t site;        /* site of the profile, or FINDING_NO_SITE */
    int64_t bytes;      /* bytes concerned; of "realloc", added by each call */
    uint64_t blocks;    /* blocks concerned; of "lost", calls */
    double share;       /* 0 to 1, see the row's words */
    size_t others;      /* further sites of that kind */
    bool is_sum;        /* figures are sums of all these sites */
};

struct findings {
    struct finding found[FINDING_LIMIT]; /* most serious kind first */
    size_t count;
    struct {
        const char *kind;
        enum coverage_part lacks;
    } unjudged[FINDING_LIMIT];
    size_t unjudged_count;
    bool has_judged; /* some kind but "lost" was judged */
    struct coverage coverage;
};

/* Find at most one problem of a kind. `profile` is finished and summed by
   caller of wrappers. */
void findings_find(struct findings *findings, const struct profile *profile);

/* Return "not judged: leak (still running)" or NULL; the caller frees it. */
char *findings_unjudged(const struct findings *findings);

/* Return "serve (server.c:120)", ": 1.2 MiB in 4,567 blocks; --leaks", and both
   in one; the caller frees them. */
char *finding_call(const struct profile *profile,
                   const struct site_names *names, size_t site);
char *finding_figures(const struct finding *finding);
char *finding_text(const struct profile *profile,
                   const struct site_names *names,
                   const struct finding *finding);
