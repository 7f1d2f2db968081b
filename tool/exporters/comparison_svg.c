/* SPDX-License-Identifier: Apache-2.0 */
/* comparison_svg.c - a flame graph of growth; see exporter.h */
#include "tool/exporters/exporter.h"

/* Weights by node: the larger of both sides, before, and after. */
struct weights {
    struct call_totals widths, before, after;
    const struct comparison_title *title;
};

static int64_t growth_of(const struct weights *weights, uint32_t node)
{
    return (int64_t)(weights->after.weights[node] -
                     weights->before.weights[node]);
}

/* Write the colour: white for no change, full where everything is new or
   gone. */
static void write_color(const struct flame *flame, uint32_t node)
{
    const struct weights *weights = flame->context;
    int64_t growth = growth_of(weights, node);
    double whole = (double)weights->widths.weights[node];
    double part = whole > 0 ? (double)growth / whole : 0;
    unsigned pale = (unsigned)(240 - 150 * (part < 0 ? -part : part));

    if (growth > 0)
        fprintf(flame->out, "#f0%02x%02x", pale, pale);
    else
        fprintf(flame->out, "#%02x%02xf0", pale, growth == 0 ? 0xf0 : pale);
}

static void write_growth(const struct flame *flame, uint32_t node,
                         const char *unit, const char *separator)
{
    const struct weights *weights = flame->context;
    int64_t growth = growth_of(weights, node);

    fprintf(flame->out, "%s%s before, %s after%s%s",
            NUMBER(weights->before.weights[node]), unit,
            NUMBER(weights->after.weights[node]), separator,
            NUMBER_GROWTH(growth));
}

static void write_text(const struct flame *flame, uint32_t node)
{
    write_growth(flame, node, " bytes", ": ");
}

static void write_title(const struct flame *flame)
{
    const struct weights *weights = flame->context;
    const struct comparison_title *title = weights->title;
    FILE *out = flame->out;

    flame_write_label(out, title->before, (double)FLAME_WIDTH / 3);
    fputs(" \xe2\x86\x92 ", out);
    flame_write_label(out, title->after, (double)FLAME_WIDTH / 3);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"46\">live bytes: ", FLAME_MARGIN);
    write_growth(flame, 0, "", ", ");
    fprintf(out,
            "</text>\n<text x=\"%d\" y=\"68\" "
            "text-anchor=\"end\">red grew, blue shrank; as wide as the more of "
            "both</text>\n",
            FLAME_WIDTH - FLAME_MARGIN);
    fputs("<title>", out);
    escape_write(out, ESCAPE_XML, title->before, SIZE_MAX);
    fputs(" \xe2\x86\x92 ", out);
    escape_write(out, ESCAPE_XML, title->after, SIZE_MAX);
    fputs("</title>\n", out);
    if (title->is_lossy)
        flame_write_warning(flame,
                            "a source lacks data or was read while it changed");
}

void comparison_svg_write(FILE *out, const struct stack_comparison *comparison,
                          const struct comparison_title *title)
{
    struct weights weights = { .title = title };
    struct flame flame = {
        .out = out,
        .tree = &comparison->tree,
        .totals = &weights.widths,
        .write_title = write_title,
        .write_text = write_text,
        .write_color = write_color,
        .context = &weights,
        .head = 82,
    };

    call_totals_open(&weights.widths, flame.tree, (enum measure)COMPARED_WIDTH);
    call_totals_open(&weights.before, flame.tree,
                     (enum measure)COMPARED_BEFORE);
    call_totals_open(&weights.after, flame.tree, (enum measure)COMPARED_AFTER);
    flame_write(&flame);
}
