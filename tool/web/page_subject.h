/* SPDX-License-Identifier: Apache-2.0 */
/* page_subject.h - what a page is of, and its data */
#pragma once

#include "tool/model/compare/compare.h"

/* A process image of the recording. */
struct page_process {
    const char *program;
    uint32_t pid, generation;
    size_t depth; /* in the tree, in whose order they are */
    uint64_t peak;
    int64_t live;
    bool is_shown;
};

/* A profile, regions of a trace, or a comparison of either; the rest is
   NULL. */
struct page_subject {
    const char *title;
    bool is_served; /* `data` and `events` come from the page's server */
    /* Finished, with stacks or rows of them, and summed by the calls to blame:
       blame.h. */
    const struct profile *profile;
    const struct site_names *names;
    struct frame_names *frames;
    bool has_stacks;  /* of the source; else each row is one */
    bool has_sources; /* lines of source are shown */
    const struct page_process *processes;
    size_t process_count; /* 0: there is one */
    const struct stack_comparison *comparison;
    const char *before, *after; /* what is compared is called */

    const struct regions *regions; /* finished; of a comparison the later */
    const struct regions *regions_before;
    const struct region_comparison *region_comparison;
    bool is_lossy; /* of regions: a part of a trace is missing */
};

/*
 * The data of the page, packed: docs/page-format.md
 *
 *     struct page_subject subject = { .profile = profile, .names = names,
 *                                     .frames = frames, .title = "a.tally" };
 *
 *     page_data_write(out, &subject);
 */

/* Write errors stay in the FILE. */
void page_data_write(FILE *out, const struct page_subject *subject);
