/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg.c - a flame graph that any browser shows
 *
 * One file that needs nothing: no script, no font of its own. The root lies at
 * the bottom; a frame says more of itself when the pointer rests on it. Colours
 * come from names, so that a file has the same one in every picture.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tool/exporters/exporter.h"
#include "tool/exporters/flame_layout.h"
#include "tool/exporters/stack_list.h"
#include "tool/text/number.h"
#include "tool/text/utf8.h"
#include "tool/text/xml.h"

enum {
    WIDTH = 1200,
    MARGIN = 12,
    HEAD = 58, /* above the frames */
    FOOT = 30, /* below them */
    FRAME_HEIGHT = 24,
    TEXT_PADDING = 5, /* on either side */
};

#define CHARACTER_WIDTH 7.3 /* of 12 pixels, in a monospaced font */
#define NARROWEST       0.1 /* what is narrower is not drawn, in pixels */

struct drawing {
    FILE *out;
    const struct export_job *job;
    const struct flame_layout *layout;
    size_t too_narrow;
};

static size_t count_characters(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; count++) {
        size_t length = utf8_length(text);

        text += length == 0 ? 1 : length;
    }
    return count;
}

/* As much of a name as fits; of a path its end, which says more. */
static void write_label(FILE *out, const char *name, double width)
{
    double room = (width - 2 * TEXT_PADDING) / CHARACTER_WIDTH;
    size_t limit = room < 3 ? 0 : (size_t)room;
    size_t count = count_characters(name);

    if (count <= limit) {
        xml_write(out, name, limit);
    } else if (limit > 0 && strchr(name, '/') != NULL) {
        for (size_t i = count - (limit - 1); i > 0; i--) {
            size_t length = utf8_length(name);

            name += length == 0 ? 1 : length;
        }
        fputs("\xe2\x80\xa6", out);
        xml_write(out, name, limit - 1);
    } else if (limit > 0) {
        xml_write(out, name, limit - 1);
        fputs("\xe2\x80\xa6", out);
    }
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

/* Files and their functions share a hue; what lies below them is pale. */
static void write_color(const struct drawing *drawing,
                        const struct flame_frame *frame)
{
    const struct flame_frame *frames = drawing->layout->frames;
    const char *name =
        frame->level > 2 ? frames[frame->parent].name : frame->name;
    uint32_t hash = hash_name(name);
    unsigned hue = 10 + hash % 200; /* from red to blue, no violet */
    double saturation = frame->level == 0 ? 0 : frame->level == 1 ? 0.3 : 0.6;
    double lightness = frame->level == 0 ? 0.88 : 0.76;

    if (frame->level > 2)
        lightness = 0.80 + (double)(hash_name(frame->name) % 5) / 100;
    fprintf(drawing->out, "#%02x%02x%02x",
            channel(hue, saturation, lightness, 0),
            channel(hue, saturation, lightness, 8),
            channel(hue, saturation, lightness, 4));
}

static const char *unit_of(enum export_value value)
{
    return value == EXPORT_LIVE_BYTES || value == EXPORT_TOTAL_BYTES ? "bytes"
                                                                     : "blocks";
}

static void write_amount(const struct drawing *drawing, uint64_t weight)
{
    enum export_value value = drawing->job->value;
    char number[NUMBER_SIZE], human[NUMBER_SIZE];

    fprintf(drawing->out, "%s %s", number_unsigned(number, weight),
            unit_of(value));
    if (unit_of(value)[1] == 'y' && weight >= 1024)
        fprintf(drawing->out, " (%s)", number_bytes(human, (int64_t)weight));
}

static void draw_frame(struct drawing *drawing, const struct flame_frame *frame)
{
    FILE *out = drawing->out;
    double total = (double)drawing->layout->frames[0].weight;
    double scale = (WIDTH - 2 * MARGIN) / (total > 0 ? total : 1);
    double x = MARGIN + (double)frame->start * scale;
    double width = (double)frame->weight * scale;
    unsigned y =
        HEAD + (drawing->layout->levels - 1 - frame->level) * FRAME_HEIGHT;

    if (frame->level == 0)
        width = WIDTH - 2 * MARGIN;
    if (width < NARROWEST) {
        drawing->too_narrow++;
        return;
    }
    fputs("<g class=\"frame\"><title>", out);
    xml_write(out, frame->name, SIZE_MAX);
    fputs("\n", out);
    write_amount(drawing, frame->weight);
    fprintf(out, ", %.2f %%</title>",
            total > 0 ? (double)frame->weight * 100 / total : 0);
    fprintf(out,
            "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"", x,
            y, width, FRAME_HEIGHT - 1);
    write_color(drawing, frame);
    fputs("\"/>", out);
    if (width >= 3 * CHARACTER_WIDTH + 2 * TEXT_PADDING) {
        fprintf(out, "<text x=\"%.2f\" y=\"%u\">", x + TEXT_PADDING,
                y + FRAME_HEIGHT - 8);
        write_label(out, frame->name, width);
        fputs("</text>", out);
    }
    fputs("</g>\n", out);
}

static void write_head(const struct drawing *drawing, size_t places)
{
    FILE *out = drawing->out;
    unsigned height = HEAD + drawing->layout->levels * FRAME_HEIGHT + FOOT;
    char number[NUMBER_SIZE];

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%u\" viewBox=\"0 0 %d %u\" font-family=\"monospace\" "
            "font-size=\"12\">\n",
            WIDTH, height, WIDTH, height);
    fputs("<style>text{fill:#222;pointer-events:none}"
          "rect{stroke:#fff;stroke-width:0.5}"
          ".frame:hover rect{stroke:#222;stroke-width:1.5}</style>\n",
          out);
    fprintf(out, "<rect width=\"%d\" height=\"%u\" fill=\"#fff\"/>\n", WIDTH,
            height);
    fprintf(out, "<text x=\"%d\" y=\"26\" font-size=\"16\">", MARGIN);
    write_label(out, drawing->job->title, (WIDTH - 2 * MARGIN) * 12.0 / 16);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"46\">%s: ", MARGIN,
            export_value_name(drawing->job->value));
    write_amount(drawing, drawing->layout->frames[0].weight);
    fprintf(out, " at %s place%s</text>\n", number_unsigned(number, places),
            places == 1 ? "" : "s");
}

/* What the picture does not show. */
static void write_foot(const struct drawing *drawing, size_t negative)
{
    FILE *out = drawing->out;
    unsigned y = HEAD + drawing->layout->levels * FRAME_HEIGHT + FOOT - 12;
    const char *separator = "";

    fprintf(out, "<text x=\"%d\" y=\"%u\">", MARGIN, y);
    if (drawing->too_narrow != 0) {
        fprintf(out, "%zu too narrow to be drawn", drawing->too_narrow);
        separator = "; ";
    }
    if (negative != 0)
        fprintf(out, "%s%zu below 0 left out", separator, negative);
    fputs("</text>\n</svg>\n", out);
}

static int write_svg(const struct export_job *job, FILE *out,
                     struct export_result *result)
{
    struct stack_list list;
    struct flame_layout layout = { 0 };
    struct drawing drawing = { .out = out, .job = job, .layout = &layout };
    int error = stack_list_open(&list, job);

    if (error == 0)
        error = flame_layout_open(&layout, &list);
    if (error == 0) {
        write_head(&drawing, list.count);
        for (size_t i = 0; i < layout.count; i++)
            draw_frame(&drawing, &layout.frames[i]);
        write_foot(&drawing, list.negative);
    }
    result->negative = list.negative;
    flame_layout_close(&layout);
    stack_list_close(&list);
    return error;
}

const struct exporter exporter_svg = {
    .name = "svg",
    .summary = "a flame graph, for a browser",
    .write = write_svg,
};
