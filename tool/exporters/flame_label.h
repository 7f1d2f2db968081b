/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_label.h - what is written into a frame of a flame graph, and how large
 * all is, in pixels
 */
#ifndef TALLY_TOOL_EXPORTERS_FLAME_LABEL_H
#define TALLY_TOOL_EXPORTERS_FLAME_LABEL_H

#include <stdio.h>

enum {
    FLAME_WIDTH = 1200,
    FLAME_MARGIN = 12,
    FLAME_FRAME_HEIGHT = 24,
    FLAME_TEXT_PADDING = 5, /* on either side */
};

#define FLAME_CHARACTER_WIDTH 7.3 /* of 12 pixels, in a monospaced font */
#define FLAME_NARROWEST       0.1 /* what is narrower is not drawn */

/* As much of a name as fits; of a path its end, which says more. */
void flame_label_write(FILE *out, const char *name, double width);

#endif /* TALLY_TOOL_EXPORTERS_FLAME_LABEL_H */
