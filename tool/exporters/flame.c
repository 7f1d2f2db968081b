/* SPDX-License-Identifier: Apache-2.0 */
/* flame.c - see exporter.h */
#include "tool/exporters/exporter.h"

enum {
    FRAME_HEIGHT = 24,
    TEXT_PADDING = 5, /* pixels on either side */
    FOOT = 30,        /* pixels below the frames */
};

#define CHARACTER_WIDTH 7.3 /* in a monospaced font of 12 pixels */
#define NARROWEST       0.1 /* least width of a drawn frame */

/* Return the node's label, or "all" for the root. */
static const char *name_of(const struct call_tree *tree, uint32_t node)
{
    return node == 0 ? "all" : tree->nodes[node].name->label;
}

/*
 * Return the weight to the left of each node. Parents have lower numbers, so
 * they are placed before their children: each child starts where its elder
 * sibling ends.
 */
uint64_t *flame_layout(const struct call_tree *tree,
                       const struct call_totals *totals)
{
    uint64_t *starts = memory_zeroed(tree->count + 1, sizeof *starts);

    for (size_t i = 0; i < tree->count; i++) {
        uint64_t next = starts[i];

        for (uint32_t j = 0; j < totals->child_counts[i]; j++) {
            uint32_t child = totals->children[totals->first_child[i] + j];

            starts[child] = next;
            next += totals->weights[child];
        }
    }
    return starts;
}

static size_t count_characters(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; count++) {
        size_t length = utf8_length(text);

        text += length == 0 ? 1 : length;
    }
    return count;
}

void flame_write_label(FILE *out, const char *name, double width)
{
    double room = (width - 2 * TEXT_PADDING) / CHARACTER_WIDTH;
    size_t limit = room < 3 ? 0 : (size_t)room;
    size_t count = count_characters(name);

    if (count <= limit) {
        escape_write(out, ESCAPE_XML, name, limit);
    } else if (limit > 0 && strchr(name, '/') != NULL) {
        for (size_t i = count - (limit - 1); i > 0; i--) {
            size_t length = utf8_length(name);

            name += length == 0 ? 1 : length;
        }
        fputs("\xe2\x80\xa6", out);
        escape_write(out, ESCAPE_XML, name, limit - 1);
    } else if (limit > 0) {
        escape_write(out, ESCAPE_XML, name, limit - 1);
        fputs("\xe2\x80\xa6", out);
    }
}

/* Return "FILE:LINE" or "FILE", for free(); NULL if unknown. */
static char *line_of(const struct call_tree *tree, uint32_t node)
{
    const struct site_name *name =
        node == 0 ? NULL : &tree->nodes[node].name->name;

    return name == NULL || name->file == NULL
               ? NULL
               : site_line(name->file, name->line);
}

/* Write the label, with the line if both fit. */
static void write_label(const struct flame *flame, uint32_t node,
                        const char *line, double width)
{
    const char *name = name_of(flame->tree, node);
    OWNED char *both =
        line == NULL ? NULL : memory_print("%s %s", name, base_name(line));
    double room = (width - 2 * TEXT_PADDING) / CHARACTER_WIDTH;

    flame_write_label(
        flame->out,
        both != NULL && (double)count_characters(both) <= room ? both : name,
        width);
}

static void write_head(const struct flame *flame)
{
    unsigned height = flame->head + flame->levels * FRAME_HEIGHT + FOOT;

    fprintf(flame->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" "
            "viewBox=\"0 0 %d %u\" font-family=\"monospace\" "
            "font-size=\"12\" style=\"height:auto;min-width:%dpx\">\n"
            "<style>text{fill:#222}"
            "rect{stroke:#fff;stroke-width:0.5}#paper{fill:#fff}"
            ".frame:hover rect{stroke:#222;stroke-width:1.5}"
            "#warning{fill:#c00}"
            "@media (prefers-color-scheme:dark){svg{background:#16181d}"
            "text{fill:#ddd}"
            ".frame text{fill:#222}#paper{fill:#16181d}rect{stroke:#16181d}"
            ".frame:hover rect{stroke:#fff}"
            "#warning{fill:#ff7b72}}</style>\n"
            "<rect id=\"paper\" width=\"%d\" height=\"%u\"/>\n"
            "<text x=\"%d\" y=\"26\" font-size=\"16\">",
            FLAME_WIDTH, height, FLAME_WIDTH, FLAME_WIDTH, height,
            FLAME_MARGIN);
}

void flame_write_warning(const struct flame *flame, const char *text)
{
    fprintf(flame->out,
            "<text id=\"warning\" x=\"%d\" y=\"46\" "
            "text-anchor=\"end\">%s</text>\n",
            FLAME_WIDTH - FLAME_MARGIN, text);
}

static void write_frame(struct flame *flame, uint32_t node)
{
    FILE *out = flame->out;
    const uint64_t *weights = flame->totals->weights;
    double total = (double)weights[0];
    double scale = (FLAME_WIDTH - 2 * FLAME_MARGIN) / (total > 0 ? total : 1);
    double x = FLAME_MARGIN + (double)flame->starts[node] * scale;
    double width = node == 0 ? FLAME_WIDTH - 2 * FLAME_MARGIN
                             : (double)weights[node] * scale;
    unsigned y = flame->head + flame->tree->nodes[node].level * FRAME_HEIGHT;
    OWNED char *line = NULL;

    if (width < NARROWEST) {
        flame->too_narrow++;
        return;
    }
    line = line_of(flame->tree, node);
    fputs("<g class=\"frame\"><title>", out);
    escape_write(out, ESCAPE_XML, name_of(flame->tree, node), SIZE_MAX);
    fputc('\n', out);
    if (line != NULL) {
        escape_write(out, ESCAPE_XML, line, SIZE_MAX);
        fputc('\n', out);
    }
    flame->write_text(flame, node);
    fprintf(out,
            "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" "
            "fill=\"",
            x, y, width, FRAME_HEIGHT - 1);
    flame->write_color(flame, node);
    fputs("\"/>", out);
    if (width >= 3 * CHARACTER_WIDTH + 2 * TEXT_PADDING) {
        fprintf(out, "<text x=\"%.2f\" y=\"%u\">", x + TEXT_PADDING,
                y + FRAME_HEIGHT - 8);
        write_label(flame, node, line, width);
        fputs("</text>", out);
    }
    fputs("</g>\n", out);
}

void flame_write(struct flame *flame)
{
    const struct call_node *nodes = flame->tree->nodes;
    const uint64_t *weights = flame->totals->weights;
    FILE *out = flame->out;
    unsigned deepest = 0;

    for (size_t i = 0; i < flame->tree->count; i++) {
        if (weights[i] > 0 && nodes[i].level > deepest)
            deepest = nodes[i].level;
    }
    flame->is_cut = deepest >= FLAME_LEVEL_LIMIT;
    flame->levels = flame->is_cut ? FLAME_LEVEL_LIMIT : deepest + 1;
    flame->starts = flame_layout(flame->tree, flame->totals);
    write_head(flame);
    flame->write_title(flame);
    for (size_t i = 0; i < flame->tree->count; i++) {
        if (i == 0 || (weights[i] > 0 && nodes[i].level < flame->levels))
            write_frame(flame, (uint32_t)i);
    }
    fprintf(out, "<text x=\"%d\" y=\"%u\">", FLAME_MARGIN,
            flame->head + flame->levels * FRAME_HEIGHT + FOOT - 12);
    if (flame->too_narrow != 0)
        fprintf(out, "%zu too narrow to be drawn", flame->too_narrow);
    if (flame->write_foot != NULL)
        flame->write_foot(flame, flame->too_narrow != 0 ? "; " : "");
    fputs("</text>\n", out);
    fputs("</svg>\n", out); /* fails again if a write failed */
    free(flame->starts);
}
