/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg.c - a flame graph that any browser shows
 *
 * One file that needs nothing: no font of its own, nothing to fetch. The root
 * lies at the top, below the buttons, where a deep picture is seen first; a frame
 * says more of itself when the pointer rests on it.
 * Colours come from names, so that a file has the same one in every picture.
 * Where scripts run, flame.js draws it anew, to be zoomed, searched and weighed
 * by each measure that the source knows; where they do not, it stays as it is.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/exporters/export_tree.h"
#include "tool/exporters/exporter.h"
#include "tool/exporters/flame_data.h"
#include "tool/exporters/flame_label.h"
#include "tool/exporters/flame_layout.h"
#include "tool/model/names/trust.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

enum {
    HEAD = 82,          /* above the frames */
    FOOT = 30,          /* below them */
    TRUST_LENGTH = 110, /* characters in the foot */
};

struct drawing {
    FILE *out;
    const struct export_job *job;
    const struct call_tree *tree;
    bool is_of_sites;
    const struct call_totals *totals; /* by measure; those that are known */
    const uint64_t *starts;           /* by the job's measure */
    unsigned levels;                  /* that are drawn */
    size_t stacks;
    size_t too_narrow;
    const char *trust; /* how far all can be trusted; "" or "; ..." */
};

static const struct call_totals *chosen_totals(const struct drawing *drawing)
{
    return &drawing->totals[drawing->job->measure];
}

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */

    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash ^ hash >> 15;
}

/* A channel of a colour, from 0 to 255; see HSL in CSS Color Level 4. */
static unsigned channel(unsigned hue, double saturation, double lightness,
                        unsigned offset)
{
    unsigned step = (offset * 30 + hue) % 360; /* twelfths of the circle */
    double distance = lightness < 0.5 ? lightness : 1 - lightness;
    double position = (double)step / 30;
    double wave = position - 3 < 9 - position ? position - 3 : 9 - position;

    if (wave > 1)
        wave = 1;
    if (wave < -1)
        wave = -1;
    return (unsigned)((lightness - saturation * distance * wave) * 255 + 0.5);
}

/* Of call sites, files and their functions share a hue; what lies below them is
   pale. */
static void write_color(const struct drawing *drawing, uint32_t node)
{
    const struct call_node *nodes = drawing->tree->nodes;
    unsigned level = nodes[node].level;
    bool is_of_sites = drawing->is_of_sites;
    const char *own = level == 0 ? "" : nodes[node].name->label;
    const char *name =
        is_of_sites && level > 2 ? nodes[nodes[node].parent].name->label : own;
    unsigned hue = 10 + hash_name(name) % 200; /* red to blue, no violet */
    double saturation = level == 0 ? 0 : level == 1 && is_of_sites ? 0.3 : 0.6;
    double lightness = level == 0 ? 0.88 : 0.76;

    if (level > (is_of_sites ? 2 : 0))
        lightness = 0.80 + (double)(hash_name(own) % 5) / 100;
    fprintf(drawing->out, "#%02x%02x%02x",
            channel(hue, saturation, lightness, 0),
            channel(hue, saturation, lightness, 8),
            channel(hue, saturation, lightness, 4));
}

static void write_amount(const struct drawing *drawing, uint64_t weight)
{
    enum measure measure = drawing->job->measure;
    char number[NUMBER_SIZE], human[NUMBER_SIZE];

    fprintf(drawing->out, "%s %s", number_unsigned(number, weight),
            measure_unit(measure));
    if (measure_is_bytes(measure) && weight >= 1024)
        fprintf(drawing->out, " (%s)", number_bytes(human, (int64_t)weight));
}

static void draw_frame(struct drawing *drawing, uint32_t node)
{
    FILE *out = drawing->out;
    const uint64_t *weights = chosen_totals(drawing)->weights;
    unsigned level = drawing->tree->nodes[node].level;
    double total = (double)weights[0];
    double scale = (FLAME_WIDTH - 2 * FLAME_MARGIN) / (total > 0 ? total : 1);
    double x = FLAME_MARGIN + (double)drawing->starts[node] * scale;
    double width = node == 0 ? FLAME_WIDTH - 2 * FLAME_MARGIN
                             : (double)weights[node] * scale;
    unsigned y = HEAD + level * FLAME_FRAME_HEIGHT;

    if (width < FLAME_NARROWEST) {
        drawing->too_narrow++;
        return;
    }
    fputs("<g class=\"frame\"><title>", out);
    escape_write(out, ESCAPE_XML, flame_name(drawing->tree, node), SIZE_MAX);
    fputs("\n", out);
    write_amount(drawing, weights[node]);
    fprintf(out, ", %.2f %%</title>",
            total > 0 ? (double)weights[node] * 100 / total : 0);
    fprintf(out,
            "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"", x,
            y, width, FLAME_FRAME_HEIGHT - 1);
    write_color(drawing, node);
    fputs("\"/>", out);
    if (width >= 3 * FLAME_CHARACTER_WIDTH + 2 * FLAME_TEXT_PADDING) {
        fprintf(out, "<text x=\"%.2f\" y=\"%u\">", x + FLAME_TEXT_PADDING,
                y + FLAME_FRAME_HEIGHT - 8);
        flame_label_write(out, flame_name(drawing->tree, node), width);
        fputs("</text>", out);
    }
    fputs("</g>\n", out);
}

static void write_head(const struct drawing *drawing)
{
    FILE *out = drawing->out;
    unsigned height = HEAD + drawing->levels * FLAME_FRAME_HEIGHT + FOOT;
    char number[NUMBER_SIZE];
    const char *what = drawing->is_of_sites ? "place" : "stack";

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%u\" viewBox=\"0 0 %d %u\" font-family=\"monospace\" "
            "font-size=\"12\">\n",
            FLAME_WIDTH, height, FLAME_WIDTH, height);
    fputs("<style>text{fill:#222;pointer-events:none}"
          "rect{stroke:#fff;stroke-width:0.5}.frame{cursor:pointer}"
          ".frame:hover rect{stroke:#222;stroke-width:1.5}"
          "text.button{pointer-events:all;cursor:pointer;"
          "fill:#00c}"
          "</style>\n",
          out);
    fprintf(out,
            "<rect id=\"paper\" width=\"%d\" height=\"%u\" "
            "fill=\"#fff\"/>\n",
            FLAME_WIDTH, height);
    fprintf(out, "<text x=\"%d\" y=\"26\" font-size=\"16\">", FLAME_MARGIN);
    flame_label_write(out, drawing->job->title,
                      (FLAME_WIDTH - 2 * FLAME_MARGIN) * 12.0 / 16);
    fprintf(out,
            "</text>\n<text id=\"sum\" x=\"%d\" y=\"46\">%s: ", FLAME_MARGIN,
            measure_name(drawing->job->measure));
    write_amount(drawing, chosen_totals(drawing)->weights[0]);
    fprintf(out, " at %s %s%s</text>\n",
            number_unsigned(number, drawing->stacks), what,
            number_plural(drawing->stacks));
}

/* Beside the sum, for it is not all that there was; the foot tells more. */
static void write_loss(const struct drawing *drawing)
{
    const struct profile *profile = drawing->job->profile;
    uint64_t lost = trust_lost(profile);
    char number[NUMBER_SIZE], text[NUMBER_SIZE + 40] = "";

    if (lost != 0)
        snprintf(text, sizeof text, "%s event%s lost or unseen",
                 number_unsigned(number, lost), lost == 1 ? " was" : "s were");
    else if (trust_has_unseen(profile))
        snprintf(text, sizeof text, "not all allocations were seen");
    else if (profile->calls != NULL && trust_is_lossy(profile))
        snprintf(text, sizeof text, "parts of the trace are missing");
    if (text[0] != '\0')
        fprintf(drawing->out,
                "<text style=\"fill:#c00\" x=\"%d\" y=\"46\" "
                "text-anchor=\"end\">%s</text>\n",
                FLAME_WIDTH - FLAME_MARGIN, text);
}

/* Where nothing is before it. */
static const char *without_separator(const char *trust, const char *before)
{
    return before[0] == '\0' && trust[0] != '\0' ? trust + 2 : trust;
}

/* What the picture does not show, and how far it can be trusted. */
static void write_foot(const struct drawing *drawing)
{
    FILE *out = drawing->out;
    unsigned y = HEAD + drawing->levels * FLAME_FRAME_HEIGHT + FOOT - 12;
    size_t negative = chosen_totals(drawing)->negative;
    const char *separator = "", *trust;

    fprintf(out, "<text id=\"foot\" x=\"%d\" y=\"%u\">", FLAME_MARGIN, y);
    if (drawing->too_narrow != 0) {
        fprintf(out, "%zu too narrow to be drawn", drawing->too_narrow);
        separator = "; ";
    }
    if (drawing->levels < drawing->tree->levels) {
        fprintf(out, "%sdeeper than %d calls is not drawn", separator,
                FLAME_LEVEL_LIMIT);
        separator = "; ";
    }
    if (negative != 0) {
        fprintf(out, "%s%zu below 0 left out", separator, negative);
        separator = "; ";
    }
    trust = without_separator(drawing->trust, separator);
    escape_write(out, ESCAPE_XML, trust, TRUST_LENGTH);
    if (strlen(trust) > TRUST_LENGTH)
        fputs("\xe2\x80\xa6", out); /* all is in the description */
    fputs("</text>\n", out);
}

static void draw_frames(struct drawing *drawing)
{
    const uint64_t *weights = chosen_totals(drawing)->weights;

    fputs("<g id=\"frames\">\n", drawing->out);
    for (size_t i = 0; i < drawing->tree->count; i++) {
        if (i == 0 ||
            (weights[i] > 0 && drawing->tree->nodes[i].level < drawing->levels))
            draw_frame(drawing, (uint32_t)i);
    }
    fputs("</g>\n", drawing->out);
}

/* Those measures that are known. */
static int write_data(const struct drawing *drawing)
{
    struct flame_values values[MEASURE_COUNT];
    struct flame_data data = { .tree = drawing->tree, .values = values };

    for (unsigned i = 0; i < MEASURE_COUNT; i++) {
        if (drawing->totals[i].weights == NULL)
            continue;
        if (i == drawing->job->measure)
            data.chosen = data.count;
        values[data.count++] =
            (struct flame_values){ measure_name((enum measure)i),
                                   measure_unit((enum measure)i),
                                   drawing->totals[i].weights };
    }
    return flame_data_write(drawing->out, &data);
}

static int draw(struct drawing *drawing)
{
    struct call_totals totals[MEASURE_COUNT] = { { 0 } };
    uint64_t *starts = NULL;
    char *trust = trust_join(drawing->job->profile, drawing->job->names,
                             drawing->job->frames);
    int error = trust == NULL ? -1 : 0;

    drawing->trust = trust;
    drawing->totals = totals;
    for (unsigned i = 0; error == 0 && i < MEASURE_COUNT; i++) {
        if (measure_is_known(drawing->job->profile, (enum measure)i))
            error =
                call_totals_open(&totals[i], drawing->tree, (enum measure)i);
        if (i != (unsigned)drawing->job->measure)
            call_totals_keep_weights(&totals[i]);
    }
    if (error == 0) {
        starts = flame_layout(drawing->tree, chosen_totals(drawing));
        error = starts == NULL ? -1 : 0;
    }
    drawing->starts = starts;
    if (error == 0) {
        for (size_t i = 0; i < drawing->tree->count; i++)
            drawing->stacks +=
                call_tree_own(drawing->tree, i)[drawing->job->measure] > 0;
        write_head(drawing);
        write_loss(drawing);
        fputs("<desc>", drawing->out);
        escape_write(drawing->out, ESCAPE_XML,
                     without_separator(drawing->trust, ""), SIZE_MAX);
        fputs("</desc>\n", drawing->out);
        draw_frames(drawing);
        write_foot(drawing);
        error = write_data(drawing);
        fputs("</svg>\n", drawing->out);
    }
    for (unsigned i = 0; i < MEASURE_COUNT; i++)
        call_totals_close(&totals[i]);
    free(starts);
    free(trust);
    return error;
}

static int write_svg(const struct export_job *job, FILE *out,
                     struct export_result *result)
{
    struct export_tree tree;
    struct drawing drawing = { .out = out, .job = job, .tree = &tree.tree };
    int error = export_tree_open(&tree, job);

    drawing.is_of_sites = tree.is_of_sites;
    drawing.levels = tree.tree.levels < FLAME_LEVEL_LIMIT ? tree.tree.levels
                                                          : FLAME_LEVEL_LIMIT;
    if (error == 0)
        error = draw(&drawing);
    for (size_t i = 0; error == 0 && i < tree.tree.count; i++)
        result->negative += call_tree_own(&tree.tree, i)[job->measure] < 0;
    export_tree_close(&tree);
    return error;
}

const struct exporter exporter_svg = {
    .name = "svg",
    .summary = "a flame graph, for a browser",
    .write = write_svg,
};
