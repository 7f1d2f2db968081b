/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame.h - a flame graph as one file of SVG, for any browser
 *
 * One file that needs nothing: no font of its own, nothing to fetch. The root
 * lies at the top, below the buttons, where a deep picture is seen first. A
 * frame is as wide as what it and all above it weigh; children lie side by side
 * on their parent, the heaviest first. A frame says more of itself when the
 * pointer rests on it, as which line its calls are from. It is as wide as there
 * is room, light or dark as its reader's other windows. Where scripts run,
 * flame.js draws all anew, to be zoomed and searched, in letters of one size;
 * where they do not, it stays as it is, and all of it grows and shrinks.
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

/* What nodes weigh, by one measure, for flame.js. */
struct flame_values {
    const char *name;
    const char *unit;
    const uint64_t *weights; /* of each node with all above it */
};

/* Set by the caller down to `is_comparison`. */
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
    const struct flame_values *values;
    unsigned count;
    unsigned chosen; /* of them */
    /*
     * The values are widths, and bytes before and after, and colours show what
     * grew. Else measures to choose from.
     */
    bool is_comparison;
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

/* The text of tool/web/flame.js. */
extern const char flame_script[];
