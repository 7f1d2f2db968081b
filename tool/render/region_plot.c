/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region_plot.c - how regions were used over time, as a line of text and as a
 * picture for a browser
 *
 * The picture is self-contained, without script or font. Used bytes are an area
 * of steps, the peak is a line above it; tooltips say more.
 */
#include "tool/render/render.h"

#include <inttypes.h>

enum {
    WIDTH = 1200,
    MARGIN = 12,
    HEAD = 58,        /* above the plots */
    FOOT = 40,        /* below them: the line of time */
    PANEL = 92,       /* a plot with its title */
    PANEL_TITLE = 20, /* of these */
    PLOT = 60,
    TITLE_LIMIT = 120, /* characters */
    TICKS = 6,
};

/* By kind: stack, heap, k_heap, mem_slab. */
static const char *const colors[ZPL_REGION_COUNT] = { "#7aa6d8", "#d88c7a",
                                                      "#c9a04c", "#7abf8c" };

static double x_of(const struct regions *regions, region_place place)
{
    double span = (double)(regions->last - regions->first);
    double part = (double)(place - regions->first);

    return MARGIN + (span > 0 ? part / span : 0) * (WIDTH - 2 * MARGIN);
}

static double y_of(const struct region *region, uint64_t used)
{
    double part = region->size == 0 ? 0 : (double)used / (double)region->size;

    return PANEL_TITLE + (1 - part) * PLOT;
}

static void write_label(FILE *out, const struct region *region)
{
    fprintf(out, "%s 0x%" PRIx64, region_kind_name(region), region->address);
    if (region->name != NULL) {
        fputc(' ', out);
        escape_write(out, ESCAPE_XML, region->name, TITLE_LIMIT);
    }
}

char *region_place_text(char out[REGION_PLACE_SIZE],
                        const struct regions *regions, region_place place)
{
    if (regions->has_times)
        snprintf(out, REGION_PLACE_SIZE, "%.3f s", (double)place / 1e9);
    else
        snprintf(out, REGION_PLACE_SIZE, "event %" PRIu64, place + 1);
    return out;
}

static void write_amounts(FILE *out, const struct regions *regions,
                          const struct region *region)
{
    char peak_at[REGION_PLACE_SIZE];

    fprintf(out, "%s of %s bytes used, at most %s at %s", NUMBER(region->used),
            NUMBER(region->size), NUMBER(region->peak),
            region_place_text(peak_at, regions, region->peak_place));
}

/* Steps: what a point says holds until the next one. */
static void draw_area(FILE *out, const struct regions *regions,
                      const struct region *region)
{
    double end = x_of(regions, regions->last);

    fprintf(out, "<path class=\"area\" fill=\"%s\" d=\"M%.2f %d",
            colors[region->kind], x_of(regions, region->points[0].place),
            PANEL_TITLE + PLOT);
    for (size_t i = 0; i < region->point_count; i++) {
        double next = i + 1 < region->point_count
                          ? x_of(regions, region->points[i + 1].place)
                          : end;

        fprintf(out, "V%.2fH%.2f", y_of(region, region->points[i].used), next);
    }
    fprintf(out, "V%dZ\"/>", PANEL_TITLE + PLOT);
}

static void draw_region(FILE *out, const struct regions *regions,
                        const struct region *region, size_t number)
{
    double peak = y_of(region, region->peak);

    fprintf(out, "<g transform=\"translate(0 %zu)\"><title>",
            HEAD + number * PANEL);
    write_label(out, region);
    fputc('\n', out);
    write_amounts(out, regions, region);
    fprintf(out, "</title><text x=\"%d\" y=\"14\">", MARGIN);
    write_label(out, region);
    fprintf(out, "</text><text x=\"%d\" y=\"14\" text-anchor=\"end\">",
            WIDTH - MARGIN);
    write_amounts(out, regions, region);
    fprintf(out,
            "</text><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
            "fill=\"#f2f2f2\"/>",
            MARGIN, PANEL_TITLE, WIDTH - 2 * MARGIN, PLOT);
    draw_area(out, regions, region);
    fprintf(out, "<path class=\"peak\" d=\"M%d %.2fH%d\"/></g>\n", MARGIN, peak,
            WIDTH - MARGIN);
}

static void draw_time(FILE *out, const struct regions *regions)
{
    size_t y = HEAD + regions->count * PANEL + 14;
    char text[REGION_PLACE_SIZE];

    for (unsigned i = 0; i <= TICKS; i++) {
        /* All of a range may be more than a region_place as a double. */
        region_place place =
            i == TICKS
                ? regions->last
                : regions->first +
                      (region_place)((double)(regions->last - regions->first) *
                                     i / TICKS);
        const char *anchor = i == 0 ? "start" : i == TICKS ? "end" : "middle";

        fprintf(out, "<text x=\"%.2f\" y=\"%zu\" text-anchor=\"%s\">%s</text>",
                MARGIN + (double)i / TICKS * (WIDTH - 2 * MARGIN), y, anchor,
                region_place_text(text, regions, place));
    }
    fputc('\n', out);
}

void region_svg_write(FILE *out, const struct regions *regions,
                      const char *title)
{
    size_t height = HEAD + regions->count * PANEL + FOOT;

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%zu\" viewBox=\"0 0 %d %zu\" font-family=\"monospace\" "
            "font-size=\"12\">\n",
            WIDTH, height, WIDTH, height);
    fputs("<style>text{fill:#222}.area{stroke:#444;stroke-width:0.5}"
          ".peak{stroke:#a22;stroke-width:1;stroke-dasharray:4 3}</style>\n",
          out);
    fprintf(out, "<rect width=\"%d\" height=\"%zu\" fill=\"#fff\"/>\n", WIDTH,
            height);
    fprintf(out, "<text x=\"%d\" y=\"26\" font-size=\"16\">", MARGIN);
    escape_write(out, ESCAPE_XML, title, TITLE_LIMIT);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"46\">%s events of ", MARGIN,
            NUMBER(regions->events));
    fprintf(out, "%zu region%s</text>\n", regions->count,
            number_plural(regions->count));
    for (size_t i = 0; i < regions->count; i++)
        draw_region(out, regions, &regions->items[i], i);
    draw_time(out, regions);
    fputs("</svg>\n", out);
}

static const char *block(uint64_t used, uint64_t size)
{
    static const char *const blocks[] = {
        "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
        "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
    };

    if (used == 0)
        return ".";
    return used >= size ? blocks[7] : blocks[used * 8 / size];
}

static unsigned column_of(const struct regions *regions, region_place place,
                          unsigned columns)
{
    double span = (double)(regions->last - regions->first);
    double part = (double)(place - regions->first);
    unsigned column = span > 0 ? (unsigned)(part / span * (double)columns) : 0;

    return column < columns ? column : columns - 1;
}

char *region_line(char out[REGION_LINE_SIZE], const struct region *region,
                  const struct regions *regions, unsigned columns)
{
    char *end = out;
    size_t next = 0;
    bool is_known = false;
    uint64_t used = 0;

    for (unsigned column = 0; column < columns; column++) {
        uint64_t most = used;
        bool has_point = false;

        /* The last value holds until the first point in this column. */
        while (next < region->point_count &&
               column_of(regions, region->points[next].place, columns) <=
                   column) {
            used = region->points[next++].used;
            most = !has_point || used > most ? used : most;
            has_point = is_known = true;
        }
        end = stpcpy(end, is_known ? block(most, region->size) : " ");
    }
    *end = '\0';
    return out;
}
