/* SPDX-License-Identifier: Apache-2.0 */
/* figure.c - see render.h */
#include "tool/render/render.h"

#include <inttypes.h>
#include <math.h>

/* Rounded to two digits: the others are not known. */
static int64_t round_bound(double bound)
{
    double size = fabs(bound);
    double scale = size < 100 ? 1 : pow(10, floor(log10(size)) - 1);
    double rounded = round(bound / scale) * scale;

    if (rounded <= -0x1p62)
        return INT64_MIN;
    return rounded < 0x1p62 ? (int64_t)rounded : INT64_MAX;
}

static bool is_certain(int64_t value, struct interval interval)
{
    return interval.high - interval.low < 0.5 ||
           (value <= 0 && interval.high < 0.5);
}

char *estimate_margin(char out[ESTIMATE_MARGIN_SIZE], int64_t value,
                      struct interval interval)
{
    double above = interval.high - (double)value;
    double below = (double)value - interval.low;
    double margin = above > below ? above : below;

    if (is_certain(value, interval))
        *out = '\0';
    else if (value <= 0)
        snprintf(out, ESTIMATE_MARGIN_SIZE, "(at most %s)",
                 NUMBER_SIGNED(round_bound(interval.high)));
    else if (margin < (double)value)
        snprintf(out, ESTIMATE_MARGIN_SIZE, "\xc2\xb1 %.*f %%",
                 margin * 100 < (double)value ? 1 : 0,
                 margin * 100 / (double)value);
    else
        snprintf(out, ESTIMATE_MARGIN_SIZE, "(%s to %s)",
                 NUMBER_SIGNED(round_bound(interval.low)),
                 NUMBER_SIGNED(round_bound(interval.high)));
    return out;
}

char *estimate_text(char out[ESTIMATE_TEXT_SIZE], int64_t value,
                    struct interval interval)
{
    char margin[ESTIMATE_MARGIN_SIZE];

    estimate_margin(margin, value, interval);
    snprintf(out, ESTIMATE_TEXT_SIZE, "%s%s%s", NUMBER_SIGNED(value),
             *margin == '\0' ? "" : " ", margin);
    return out;
}

char *estimate_growth(char out[ESTIMATE_TEXT_SIZE], int64_t value,
                      struct interval interval)
{
    if (interval.high - interval.low < 0.5)
        return number_growth(out, value);
    snprintf(out, ESTIMATE_TEXT_SIZE, "%s (%s to %s)", NUMBER_GROWTH(value),
             NUMBER_SIGNED(round_bound(interval.low)),
             NUMBER_SIGNED(round_bound(interval.high)));
    return out;
}

/* To the tenth of a percent that is shown. */
static bool is_certain_share(const struct share *share)
{
    return round(share->interval.low * 1000) == round(share->value * 1000) &&
           round(share->interval.high * 1000) == round(share->value * 1000);
}

char *estimate_share(char out[ESTIMATE_TEXT_SIZE], const struct share *share)
{
    int digits = share->interval.high - share->interval.low < 0.005 ? 1 : 0;

    if (!share->is_known)
        snprintf(out, ESTIMATE_TEXT_SIZE, "-");
    else if (is_certain_share(share))
        snprintf(out, ESTIMATE_TEXT_SIZE, "%.1f %%", share->value * 100);
    else
        snprintf(out, ESTIMATE_TEXT_SIZE, "%.*f %% (%.*f-%.*f)", digits,
                 share->value * 100, digits, share->interval.low * 100, digits,
                 share->interval.high * 100);
    return out;
}

const char *figure_text(char out[ESTIMATE_TEXT_SIZE],
                        const struct figure *figure)
{
    int64_t value = (int64_t)figure->number;
    struct interval interval = { (double)value, (double)value };

    if (figure->is_unknown)
        return "-";
    if (figure->is_estimate)
        interval = figure->interval;
    switch (figure->unit) {
    case FIGURE_TEXT:
    case FIGURE_TEXT_RIGHT:
        return figure->text == NULL ? "-" : figure->text;
    case FIGURE_ABOUT:
        snprintf(out, ESTIMATE_TEXT_SIZE, "%s%s",
                 figure->number != 0 ? "about " : "", NUMBER(figure->number));
        return out;
    case FIGURE_SIGNED:
        return estimate_text(out, value, interval);
    case FIGURE_GROWTH:
        return estimate_growth(out, value, interval);
    case FIGURE_ADDRESS:
        return number_address(out, figure->number);
    case FIGURE_PER_MILLE:
        snprintf(out, ESTIMATE_TEXT_SIZE, "%" PRIu64 ".%u %%",
                 figure->number / 10, (unsigned)(figure->number % 10));
        return out;
    case FIGURE_SHARE:
        return estimate_share(out, &figure->share);
    default:
        return figure->is_estimate ? estimate_text(out, value, interval)
                                   : number_unsigned(out, figure->number);
    }
}

static enum table_alignment alignment_of(const struct figure *figure)
{
    if (figure->alignment != 0)
        return figure->alignment;
    return figure->unit == FIGURE_TEXT ? TABLE_LEFT : TABLE_RIGHT;
}

static struct table *create_table(const struct figure *figures, size_t count)
{
    struct table_column columns[TABLE_COLUMNS] = { 0 };
    unsigned column_count = 0;

    for (size_t i = 0; i < count; i++) {
        if (figures[i].title != NULL)
            columns[column_count++] =
                (struct table_column){ figures[i].title,
                                       alignment_of(&figures[i]) };
    }
    return table_create(columns, column_count);
}

static void write_share(struct json *json, const char *key,
                        const struct share *share)
{
    if (!share->is_known) {
        json_null(json, key);
        return;
    }
    json_begin(json, key, JSON_OBJECT);
    json_fraction(json, "share", share->value);
    json_fraction(json, "low", share->interval.low);
    json_fraction(json, "high", share->interval.high);
    json_end(json);
}

static void write_figure(struct json *json, const struct figure *figure)
{
    if (figure->is_unknown)
        json_null(json, figure->key);
    else if (figure->unit == FIGURE_TEXT || figure->unit == FIGURE_TEXT_RIGHT)
        json_string(json, figure->key, figure->text);
    else if (figure->unit == FIGURE_SIGNED || figure->unit == FIGURE_GROWTH)
        json_signed(json, figure->key, (int64_t)figure->number);
    else if (figure->unit == FIGURE_SHARE)
        write_share(json, figure->key, &figure->share);
    else if (figure->unit == FIGURE_FRACTION)
        json_fraction(json, figure->key, figure->fraction);
    else if (figure->unit == FIGURE_FLAG)
        json_bool(json, figure->key, figure->number != 0);
    else
        json_unsigned(json, figure->key, figure->number);
}

void figures_put(struct table **table, struct json *json,
                 const struct figure *figures, size_t count)
{
    char text[ESTIMATE_TEXT_SIZE];

    if (table != NULL && *table == NULL)
        *table = create_table(figures, count);
    for (size_t i = 0; i < count; i++) {
        if (table != NULL && figures[i].title != NULL)
            table_add(*table, figure_text(text, &figures[i]));
        if (json != NULL && figures[i].key != NULL)
            write_figure(json, &figures[i]);
    }
}

void figures_write_intervals(struct json *json, const struct figure *figures,
                             size_t count)
{
    json_begin(json, "intervals", JSON_OBJECT);
    for (size_t i = 0; i < count; i++) {
        if (figures[i].key == NULL || !figures[i].is_estimate)
            continue;
        json_begin(json, figures[i].key, JSON_ARRAY);
        json_fraction(json, NULL, figures[i].interval.low);
        json_fraction(json, NULL, figures[i].interval.high);
        json_end(json);
    }
    json_end(json);
}
