/* SPDX-License-Identifier: Apache-2.0 */
/*
 * estimate_text.c - estimates as people read them
 */
#include "tool/render/estimate_text.h"

#include <math.h>
#include <stdio.h>

#include "tool/text/number.h"

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
    char low[NUMBER_SIZE], high[NUMBER_SIZE];
    double above = interval.high - (double)value;
    double below = (double)value - interval.low;
    double margin = above > below ? above : below;

    if (is_certain(value, interval))
        *out = '\0';
    else if (value <= 0)
        snprintf(out, ESTIMATE_MARGIN_SIZE, "(at most %s)",
                 number_signed(high, round_bound(interval.high)));
    else if (margin < (double)value)
        snprintf(out, ESTIMATE_MARGIN_SIZE, "\xc2\xb1 %.*f %%",
                 margin * 100 < (double)value ? 1 : 0,
                 margin * 100 / (double)value);
    else
        snprintf(out, ESTIMATE_MARGIN_SIZE, "(%s to %s)",
                 number_signed(low, round_bound(interval.low)),
                 number_signed(high, round_bound(interval.high)));
    return out;
}

char *estimate_text(char out[ESTIMATE_TEXT_SIZE], int64_t value,
                    struct interval interval)
{
    char number[NUMBER_SIZE], margin[ESTIMATE_MARGIN_SIZE];

    estimate_margin(margin, value, interval);
    snprintf(out, ESTIMATE_TEXT_SIZE, "%s%s%s", number_signed(number, value),
             *margin == '\0' ? "" : " ", margin);
    return out;
}

char *estimate_growth(char out[ESTIMATE_TEXT_SIZE], int64_t value,
                      struct interval interval)
{
    char number[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];

    number_signed(number, value);
    if (interval.high - interval.low < 0.5)
        snprintf(out, ESTIMATE_TEXT_SIZE, "%s%s", value > 0 ? "+" : "", number);
    else
        snprintf(out, ESTIMATE_TEXT_SIZE, "%s%s (%s to %s)",
                 value > 0 ? "+" : "", number,
                 number_signed(low, round_bound(interval.low)),
                 number_signed(high, round_bound(interval.high)));
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
