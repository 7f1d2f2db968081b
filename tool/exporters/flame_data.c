/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_data.c - what flame.js draws
 */
#include "tool/exporters/flame_data.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tool/exporters/flame_script.h"
#include "tool/model/text_pool.h"
#include "tool/text/script_text.h"

#define LEAST_SHARE 0.00002 /* of the whole, to be zoomed into */

struct flame_data {
    FILE *out;
    const struct call_tree *tree;
    const struct call_totals *totals; /* by measure; those that are known */
    enum measure measure;             /* the chosen one */
};

const char *flame_name(const struct call_tree *tree, uint32_t node)
{
    return node == 0 ? "all" : tree->nodes[node].name->label;
}

/* Whether it may be seen in any measure. A child never is without its parent. */
static bool is_in_data(const struct flame_data *data, uint32_t node)
{
    if (node == 0)
        return true;
    if (data->tree->nodes[node].level >= FLAME_LEVEL_LIMIT)
        return false;
    for (unsigned i = 0; i < MEASURE_COUNT; i++) {
        const uint64_t *weights = data->totals[i].weights;

        if (weights != NULL && weights[node] > 0 &&
            (double)weights[node] >= (double)weights[0] * LEAST_SHARE)
            return true;
    }
    return false;
}

/* The numbers of nodes in the data; of labels, too, each of which is there
   once. -1 without memory. */
static int write_nodes(const struct flame_data *data, uint32_t *numbers)
{
    uint32_t count = 0;
    FILE *out = data->out;
    struct text_pool labels = { 0 };
    int error = 0;

    fputs("\"node\":[", out);
    for (size_t i = 0; error == 0 && i < data->tree->count; i++) {
        uint32_t label;

        numbers[i] = UINT32_MAX;
        if (!is_in_data(data, (uint32_t)i))
            continue;
        numbers[i] = count++;
        error =
            text_pool_add(&labels, flame_name(data->tree, (uint32_t)i), &label);
        fprintf(out, "%s[%" PRIu32 ",%" PRIu32 "]", i == 0 ? "" : ",", label,
                numbers[data->tree->nodes[i].parent]);
    }
    fputs("],\n\"names\":[", out);
    for (size_t i = 0; error == 0 && i < labels.count; i++) {
        if (i > 0)
            fputc(',', out);
        script_text_write(out, labels.texts[i]);
    }
    fputs("],\n", out);
    text_pool_free(&labels);
    return error;
}

static void write_values(const struct flame_data *data, const uint32_t *numbers,
                         const uint64_t *weights)
{
    fputc('[', data->out);
    for (size_t i = 0; i < data->tree->count; i++) {
        if (numbers[i] != UINT32_MAX)
            fprintf(data->out, "%s%" PRIu64, i == 0 ? "" : ",", weights[i]);
    }
    fputc(']', data->out);
}

int flame_data_write(FILE *out, const struct call_tree *tree,
                     const struct call_totals totals[MEASURE_COUNT],
                     enum measure measure)
{
    const struct flame_data whole = { out, tree, totals, measure };
    const struct flame_data *data = &whole;
    uint32_t *numbers = calloc(data->tree->count + 1, sizeof *numbers);
    unsigned known = 0, chosen = 0;
    int error;

    if (numbers == NULL)
        return -1;
    fputs("<script><![CDATA[\nvar flame_data={\n", out);
    error = write_nodes(data, numbers);
    fputs("\"measures\":[", out);
    for (unsigned i = 0; i < MEASURE_COUNT; i++) {
        if (data->totals[i].weights == NULL)
            continue;
        if (i == measure)
            chosen = known;
        fprintf(out, "%s[\"%s\",\"%s\"]", known++ == 0 ? "" : ",",
                measure_name((enum measure)i), measure_unit((enum measure)i));
    }
    fprintf(out, "],\n\"chosen\":%u,\n\"values\":[", chosen);
    known = 0;
    for (unsigned i = 0; i < MEASURE_COUNT; i++) {
        if (data->totals[i].weights == NULL)
            continue;
        fputs(known++ == 0 ? "" : ",\n", out);
        write_values(data, numbers, data->totals[i].weights);
    }
    fprintf(out, "]};\n%s]]></script>\n", flame_script);
    free(numbers);
    return error;
}
