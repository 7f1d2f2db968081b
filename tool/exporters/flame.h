/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame.h - a flame graph as one static file of SVG, for any browser
 *
 * The file has no references and no script; the page (tool/web/page/) zooms
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

/* Sizes in pixels, but for the last. */
enum {
    FLAME_WIDTH = 1200,
    FLAME_MARGIN = 12,
    FLAME_LEVEL_LIMIT = 400, /* deepest level that is drawn */
};

/* A flame graph. The caller sets the members up to `head`. */
struct flame {
    FILE *out;
    const struct call_tree *tree;
    const struct call_totals *totals; /* widths */
    /* Write the rest of the title's line and all up to the frames. */
    void (*write_title)(const struct flame *flame);
    /* Write a frame's text below the name, and its colour. */
    void (*write_text)(const struct flame *flame, uint32_t node);
    void (*write_color)(const struct flame *flame, uint32_t node);
    /* Write more about the picture's limits in the foot; NULL: nothing. */
    void (*write_foot)(const struct flame *flame, const char *separator);
    const void *context;
    unsigned head;     /* pixels above the frames */
    unsigned levels;   /* levels drawn */
    bool is_cut;       /* some levels are deeper */
    size_t too_narrow; /* frames too narrow to draw */
    uint64_t *starts;  /* private */
};

void flame_write(struct flame *flame);

/* Write a text shortened to the width: of a path the end is kept. */
void flame_write_label(FILE *out, const char *text, double width);

/* Write a warning in red at the right, beside the sum. */
void flame_write_warning(const struct flame *flame, const char *text);

/* Private: return the start of each node, for free(). */
uint64_t *flame_layout(const struct call_tree *tree,
                       const struct call_totals *totals);
