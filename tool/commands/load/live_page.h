/* SPDX-License-Identifier: Apache-2.0 */
/* live_page.h - the page of a source or of a live program */
#pragma once

#include "tool/commands/load/process_tree.h"
#include "tool/commands/options/options.h"
#include "tool/web/served_page.h"

/* mmap threshold for mallopt(), so that large blocks return to the system after
   each load */
enum { LIVE_PAGE_MAPPED = 1 << 16 };

struct live_page {
    struct source_options of; /* its search keeps symbols between loads */
    const char *source;
    bool has_sources;
    bool is_shown;                   /* private: the page was written before */
    char shown[PROCESS_NUMBER_SIZE]; /* private: number of the chosen process;
                                        "": only one */
    unsigned missed; /* private: looks in a row without a ledger */
};

/* Write the page's data: see struct web_content. Messages are not repeated. */
enum web_state live_page_write(void *live_page, FILE *out);
