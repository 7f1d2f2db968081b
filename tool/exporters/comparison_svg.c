/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison_svg.c - a flame graph of what grew, for any browser
 *
 * Where scripts run, flame.js draws it anew, to be zoomed and searched.
 */
#include "tool/exporters/comparison_svg.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tool/exporters/flame_data.h"
#include "tool/exporters/flame_label.h"
#include "tool/exporters/flame_layout.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

enum { HEAD = 82, FOOT = 30 };

struct drawing {
    FILE *out;
    const struct call_tree *tree;
    struct call_totals widths;
    struct call_totals before;
    struct call_totals after;
    uint64_t *starts;
    unsigned levels; /* that are drawn */
    size_t too_narrow;
};

static int64_t growth_of(const struct drawing *drawing, uint32_t node)
{
    return (int64_t)(drawing->after.weights[node] -
                     drawing->before.weights[node]);
}

/* From white at no change to a full colour where all of it is new or gone. */
static void write_color(const struct drawing *drawing, uint32_t node)
{
    int64_t growth = growth_of(drawing, node);
    double whole = (double)drawing->widths.weights[node];
    double part = whole > 0 ? (double)growth / whole : 0;
    unsigned pale = (unsigned)(240 - 150 * (part < 0 ? -part : part));

    if (growth > 0)
        fprintf(drawing->out, "#f0%02x%02x", pale, pale);
    else
        fprintf(drawing->out, "#%02x%02xf0", pale, growth == 0 ? 0xf0 : pale);
}

static void write_signed(FILE *out, int64_t value)
{
    char number[NUMBER_SIZE];

    fprintf(out, "%s%s", value > 0 ? "+" : "", number_signed(number, value));
}

static void draw_frame(struct drawing *drawing, uint32_t node)
{
    FILE *out = drawing->out;
    const struct call_node *of = &drawing->tree->nodes[node];
    double total = (double)drawing->widths.weights[0];
    double scale = (FLAME_WIDTH - 2 * FLAME_MARGIN) / (total > 0 ? total : 1);
    double x = FLAME_MARGIN + (double)drawing->starts[node] * scale;
    double width = node == 0 ? FLAME_WIDTH - 2 * FLAME_MARGIN
                             : (double)drawing->widths.weights[node] * scale;
    unsigned y = HEAD + of->level * FLAME_FRAME_HEIGHT;
    char before[NUMBER_SIZE], after[NUMBER_SIZE];

    if (width < FLAME_NARROWEST) {
        drawing->too_narrow++;
        return;
    }
    fputs("<g class=\"frame\"><title>", out);
    escape_write(out, ESCAPE_XML, flame_name(drawing->tree, node), SIZE_MAX);
    fputc('\n', out);
    if (node != 0 && of->name->name.file != NULL) {
        escape_write(out, ESCAPE_XML, of->name->name.file, SIZE_MAX);
        fprintf(out, ":%" PRIu64 "\n", of->name->name.line);
    }
    fprintf(out, "%s bytes before, %s after: ",
            number_unsigned(before, drawing->before.weights[node]),
            number_unsigned(after, drawing->after.weights[node]));
    write_signed(out, growth_of(drawing, node));
    fprintf(out,
            "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" "
            "fill=\"",
            x, y, width, FLAME_FRAME_HEIGHT - 1);
    write_color(drawing, node);
    fprintf(out, "\"/><text x=\"%.2f\" y=\"%u\">", x + FLAME_TEXT_PADDING,
            y + FLAME_FRAME_HEIGHT - 8);
    flame_label_write(out, flame_name(drawing->tree, node), width);
    fputs("</text></g>\n", out);
}

static void write_head(const struct drawing *drawing,
                       const struct comparison_title *title)
{
    FILE *out = drawing->out;
    unsigned height = HEAD + drawing->levels * FLAME_FRAME_HEIGHT + FOOT;
    char old_bytes[NUMBER_SIZE], new_bytes[NUMBER_SIZE];

    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%u\" viewBox=\"0 0 %d %u\" font-family=\"monospace\" "
            "font-size=\"12\">\n"
            "<style>text{fill:#222;pointer-events:none}"
            "rect{stroke:#fff;stroke-width:0.5}.frame{cursor:pointer}"
            ".frame:hover rect{stroke:#222;stroke-width:1.5}"
            "text.button{pointer-events:all;cursor:pointer;fill:#00c}"
            "</style>\n"
            "<rect id=\"paper\" width=\"%d\" height=\"%u\" fill=\"#fff\"/>\n",
            FLAME_WIDTH, height, FLAME_WIDTH, height, FLAME_WIDTH, height);
    fprintf(out, "<text x=\"%d\" y=\"26\" font-size=\"16\">", FLAME_MARGIN);
    flame_label_write(out, title->before, (double)FLAME_WIDTH / 3);
    fputs(" \xe2\x86\x92 ", out);
    flame_label_write(out, title->after, (double)FLAME_WIDTH / 3);
    fprintf(out,
            "</text>\n<text id=\"sum\" x=\"%d\" y=\"46\">live bytes: %s "
            "before, %s after, ",
            FLAME_MARGIN,
            number_unsigned(old_bytes, drawing->before.weights[0]),
            number_unsigned(new_bytes, drawing->after.weights[0]));
    write_signed(out, growth_of(drawing, 0));
    fprintf(out,
            "</text>\n<text x=\"%d\" y=\"68\" text-anchor=\"end\">red grew, "
            "blue shrank; as wide as the more of both</text>\n",
            FLAME_WIDTH - FLAME_MARGIN);
    if (title->is_lossy)
        fprintf(out,
                "<text style=\"fill:#c00\" x=\"%d\" y=\"46\" "
                "text-anchor=\"end\">a source lacks data or was read while it "
                "changed</text>\n",
                FLAME_WIDTH - FLAME_MARGIN);
}

static int write_data(const struct drawing *drawing)
{
    const struct flame_values values[] = {
        { "live bytes", "bytes", drawing->widths.weights },
        { "before", "bytes", drawing->before.weights },
        { "after", "bytes", drawing->after.weights },
    };
    const struct flame_data data = {
        .tree = drawing->tree,
        .values = values,
        .count = sizeof values / sizeof values[0],
        .is_comparison = true,
    };

    return flame_data_write(drawing->out, &data);
}

static int draw(struct drawing *drawing, const struct comparison_title *title)
{
    FILE *out = drawing->out;
    int error;

    write_head(drawing, title);
    fputs("<g id=\"frames\">\n", out);
    for (size_t i = 0; i < drawing->tree->count; i++) {
        if (i == 0 || (drawing->widths.weights[i] > 0 &&
                       drawing->tree->nodes[i].level < drawing->levels))
            draw_frame(drawing, (uint32_t)i);
    }
    fprintf(out, "</g>\n<text id=\"foot\" x=\"%d\" y=\"%u\">", FLAME_MARGIN,
            HEAD + drawing->levels * FLAME_FRAME_HEIGHT + FOOT - 12);
    if (drawing->too_narrow != 0)
        fprintf(out, "%zu too narrow to be drawn", drawing->too_narrow);
    fputs("</text>\n", out);
    error = write_data(drawing);
    fputs("</svg>\n", out);
    return error;
}

int comparison_svg_write(FILE *out, const struct stack_comparison *comparison,
                         const struct comparison_title *title)
{
    struct drawing drawing = { .out = out,
                               .tree = &comparison->tree,
                               .levels = comparison->tree.levels };
    int error = 0;

    if (drawing.levels > FLAME_LEVEL_LIMIT)
        drawing.levels = FLAME_LEVEL_LIMIT;
    if (call_totals_open(&drawing.widths, drawing.tree,
                         (enum measure)COMPARED_WIDTH) < 0 ||
        call_totals_open(&drawing.before, drawing.tree,
                         (enum measure)COMPARED_BEFORE) < 0 ||
        call_totals_open(&drawing.after, drawing.tree,
                         (enum measure)COMPARED_AFTER) < 0)
        error = -1;
    if (error == 0) {
        drawing.starts = flame_layout(drawing.tree, &drawing.widths);
        error = drawing.starts == NULL ? -1 : 0;
    }
    if (error == 0)
        error = draw(&drawing, title);
    call_totals_close(&drawing.widths);
    call_totals_close(&drawing.before);
    call_totals_close(&drawing.after);
    free(drawing.starts);
    return error;
}
