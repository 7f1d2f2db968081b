/* SPDX-License-Identifier: Apache-2.0 */
/* live_page.h - what a page shows of a source, or of a program that runs */
#pragma once

#include "tool/commands/options/options.h"
#include "tool/commands/load/process_tree.h"
#include "tool/web/served_page.h"

/* Blocks of so many bytes are the system's again once a reading is over: for
   mallopt(). */
enum { LIVE_PAGE_MAPPED = 1 << 16 };

struct live_page {
    struct source_options of; /* whose search keeps its symbols */
    const char *source;
    bool has_sources;
    bool is_shown; /* private: what the source held before is in the page */
    char shown[PROCESS_NUMBER_SIZE]; /* private: of its processes; "": it is
                                        one */
    unsigned missed; /* private: so often that one had no ledger */
};

/* What it holds now: see struct web_content. What was said is not said
   again. */
enum web_state live_page_write(void *live_page, FILE *out);
