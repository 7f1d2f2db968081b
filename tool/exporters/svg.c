/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg.c - write a flame graph for any browser; see exporter.h
 *
 * Colours follow from names, so that a file has the same colour in every
 * picture.
 */
#include "tool/exporters/exporter.h"
#include "tool/model/profile/coverage.h"

enum { TRUST_LENGTH = 110 }; /* characters in the foot */

struct drawing {
    struct flame flame;
    const struct export_job *job;
    bool is_of_sites;
    const char *trust; /* accuracy: "" or "; ..." */
};

/* Return a channel of a colour, 0 to 255, as HSL in CSS Color Level 4. */
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

/* Write a frame's colour. In a tree of sites a file and its functions share a
   hue, and modules are greyer; deeper frames are paler. */
static void write_color(const struct flame *flame, uint32_t node)
{
    const struct drawing *drawing = flame->context;
    const struct call_node *nodes = flame->tree->nodes;
    unsigned level = nodes[node].level;
    bool is_of_sites = drawing->is_of_sites;
    const char *own = level == 0 ? "" : nodes[node].name->label;
    const char *name =
        is_of_sites && level > 2 ? nodes[nodes[node].parent].name->label : own;
    unsigned hue = 10 + text_hash(name) % 200; /* red to blue, no violet */
    double saturation = level == 0 ? 0 : level == 1 && is_of_sites ? 0.3 : 0.6;
    double lightness = level == 0 ? 0.88 : 0.76;

    if (level > (is_of_sites ? 2 : 0))
        lightness = 0.80 + (double)(text_hash(own) % 5) / 100;
    fprintf(flame->out, "#%02x%02x%02x", channel(hue, saturation, lightness, 0),
            channel(hue, saturation, lightness, 8),
            channel(hue, saturation, lightness, 4));
}

static void write_amount(const struct drawing *drawing, uint32_t node)
{
    const struct flame *flame = &drawing->flame;
    uint64_t weight = flame->totals->weights[node];
    enum measure measure = drawing->job->measure;

    fprintf(flame->out, "%s %s", NUMBER(weight), measure_unit(measure));
    if (measure_is_bytes(measure) && weight >= 1024)
        fprintf(flame->out, " (%s)", NUMBER_BYTES((int64_t)weight));
}

static void write_text(const struct flame *flame, uint32_t node)
{
    const uint64_t *weights = flame->totals->weights;
    double total = (double)weights[0];

    write_amount(flame->context, node);
    fprintf(flame->out, ", %.2f %%",
            total > 0 ? (double)weights[node] * 100 / total : 0);
}

static void write_sum(const struct drawing *drawing)
{
    FILE *out = drawing->flame.out;
    const struct call_tree *tree = drawing->flame.tree;
    size_t count = 0; /* number of stacks */

    for (size_t i = 0; i < tree->count; i++)
        count += call_tree_own(tree, i)[drawing->job->measure] > 0;
    fprintf(out, "<text x=\"%d\" y=\"46\">%s: ", FLAME_MARGIN,
            measure_name(drawing->job->measure));
    write_amount(drawing, 0);
    fprintf(out, " at %s %s%s</text>\n", NUMBER(count),
            drawing->is_of_sites ? "place" : "stack", number_plural(count));
}

/* Warn about losses beside the sum, which is incomplete; the foot has
   details. */
static void write_loss(const struct drawing *drawing)
{
    const struct profile *profile = drawing->job->profile;
    uint64_t lost = trust_lost(profile);
    char text[NUMBER_SIZE + 40] = "";

    if (lost != 0)
        snprintf(text, sizeof text, "%s event%s lost or not recorded",
                 NUMBER(lost), lost == 1 ? " was" : "s were");
    else if (coverage_is_partial(profile))
        snprintf(text, sizeof text, "some allocations were not recorded");
    else if (profile->calls != NULL && trust_is_lossy(profile))
        snprintf(text, sizeof text, "parts of the trace are missing");
    if (text[0] != '\0')
        flame_write_warning(&drawing->flame, text);
}

/* Return the text without its separator if nothing precedes it. */
static const char *without_separator(const char *trust, const char *before)
{
    return before[0] == '\0' && trust[0] != '\0' ? trust + 2 : trust;
}

static void write_title(const struct flame *flame)
{
    const struct drawing *drawing = flame->context;

    flame_write_label(flame->out, drawing->job->title,
                      (FLAME_WIDTH - 2 * FLAME_MARGIN) * 12.0 / 16);
    fputs("</text>\n", flame->out);
    write_sum(drawing);
    write_loss(drawing);
    fputs("<title>", flame->out);
    escape_write(flame->out, ESCAPE_XML, drawing->job->title, SIZE_MAX);
    fputs("</title>\n<desc>", flame->out);
    escape_write(flame->out, ESCAPE_XML, without_separator(drawing->trust, ""),
                 SIZE_MAX);
    fputs("</desc>\n", flame->out);
}

/* Write the limits of the picture and its accuracy. */
static void write_foot(const struct flame *flame, const char *separator)
{
    const struct drawing *drawing = flame->context;
    size_t negative = flame->totals->negative;
    const char *trust;

    if (flame->is_cut) {
        fprintf(flame->out, "%sdeeper than %d calls is not drawn", separator,
                FLAME_LEVEL_LIMIT);
        separator = "; ";
    }
    if (negative != 0) {
        fprintf(flame->out, "%s%zu below 0 left out", separator, negative);
        separator = "; ";
    }
    trust = without_separator(drawing->trust, separator);
    escape_write(flame->out, ESCAPE_XML, trust, TRUST_LENGTH);
    if (strlen(trust) > TRUST_LENGTH)
        fputs("\xe2\x80\xa6", flame->out); /* the <desc> has it whole */
}

static void write_svg(const struct export_job *job, FILE *out,
                      struct export_result *result)
{
    struct export_tree tree;
    struct call_totals totals;
    OWNED char *trust = trust_join(job->profile, job->names, job->frames);
    struct drawing drawing = {
        .flame = { .out = out,
                   .tree = &tree.tree,
                   .totals = &totals,
                   .write_title = write_title,
                   .write_text = write_text,
                   .write_color = write_color,
                   .write_foot = write_foot,
                   .context = &drawing,
                   .head = 58 },
        .job = job,
        .trust = trust,
    };

    export_tree_open(&tree, job, CALL_TREE_BY_LINE);
    drawing.is_of_sites = tree.is_of_sites;
    call_totals_open(&totals, &tree.tree, job->measure);
    flame_write(&drawing.flame);
    result->negative = totals.negative;
}

const struct exporter exporter_svg = {
    .summary = "a flame graph, for a browser",
    .write = write_svg,
};
