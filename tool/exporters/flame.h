/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame.h - a flame graph as one static file of SVG, for any browser
 *
 * The file fetches nothing and has no script; the page (tool/web/page/) zooms
 * and searches. The root lies at the top, where a deep picture is seen first. A
 * frame is as wide as the weight of its node and all nodes below it in the
 * tree; children lie side by side, the heaviest first. The tooltip of a frame
 * has its name, line and amount. CSS makes the picture as wide as its window,
 * but never narrower than FLAME_WIDTH, and light or dark as the reader
 * prefers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/model/names/call_tree.h"

/* In pixels, but for the last. */
enum {
    FLAME_WIDTH = 1200,
    FLAME_MARGIN = 12,
    FLAME_LEVEL_LIMIT = 400, /* what is deeper is not drawn */
};

/* Set by the caller down to `head`. */
struct flame {
    FILE *out;
    const struct call_tree *tree;
    const struct call_totals *totals; /* widths */
    /* From the text of the title, whose line is begun, to the frames. */
    void (*write_title)(const struct flame *flame);
    /* What stands below the name in the text of a frame, and its colour. */
    void (*write_text)(const struct flame *flame, uint32_t node);
    void (*write_color)(const struct flame *flame, uint32_t node);
    /* What else the picture does not show; NULL: nothing. */
    void (*write_foot)(const struct flame *flame, const char *separator);
    const void *context;
    unsigned head;     /* pixels above the frames */
    unsigned levels;   /* that are drawn */
    bool is_cut;       /* some are deeper */
    size_t too_narrow; /* frames, to be drawn */
    uint64_t *starts;  /* private */
};

void flame_write(struct flame *flame);

/* As much of a text as fits; of a path its end, which says more. */
void flame_write_label(FILE *out, const char *text, double width);

/* A red line at the right, beside the sum. */
void flame_write_warning(const struct flame *flame, const char *text);

/* Private: where each node begins; the caller frees it. */
uint64_t *flame_layout(const struct call_tree *tree,
                       const struct call_totals *totals);
