/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_data.c - what flame.js draws
 */
#include "tool/exporters/flame_data.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tool/exporters/flame_script.h"
#include "tool/tables/text_pool.h"
#include "tool/text/escape.h"

#define LEAST_SHARE 0.00002 /* of the whole, to be zoomed into */

struct writing {
    FILE *out;
    const struct flame_data *data;
    uint32_t *numbers; /* of nodes in the data, or UINT32_MAX */
    struct text_pool texts;
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
    for (unsigned i = 0; i < data->count; i++) {
        const uint64_t *weights = data->values[i].weights;

        if (weights[node] > 0 &&
            (double)weights[node] >= (double)weights[0] * LEAST_SHARE)
            return true;
    }
    return false;
}

/* "FILE:LINE", or nothing where that is not known. -1 without memory. */
static int add_line(struct writing *writing, uint32_t node, uint32_t *text)
{
    const struct call_node *of = &writing->data->tree->nodes[node];
    char *line = NULL;
    int error;

    if (node == 0 || of->name->name.file == NULL)
        return text_pool_add(&writing->texts, "", text);
    if (asprintf(&line, "%s:%" PRIu64, of->name->name.file,
                 of->name->name.line) < 0)
        return -1;
    error = text_pool_add(&writing->texts, line, text);
    free(line);
    return error;
}

static int write_node(struct writing *writing, uint32_t node)
{
    const struct call_tree *tree = writing->data->tree;
    uint32_t label, line = 0;

    if (text_pool_add(&writing->texts, flame_name(tree, node), &label) < 0 ||
        (writing->data->is_comparison && add_line(writing, node, &line) < 0))
        return -1;
    fprintf(writing->out, "%s[%" PRIu32 ",%" PRIu32, node == 0 ? "" : ",",
            label, writing->numbers[tree->nodes[node].parent]);
    if (writing->data->is_comparison)
        fprintf(writing->out, ",%" PRIu32, line);
    putc(']', writing->out);
    return 0;
}

/* Each text is there once. -1 without memory. */
static int write_nodes(struct writing *writing)
{
    uint32_t count = 0;
    FILE *out = writing->out;
    int error = 0;

    fputs("\"node\":[", out);
    for (size_t i = 0; error == 0 && i < writing->data->tree->count; i++) {
        writing->numbers[i] = UINT32_MAX;
        if (!is_in_data(writing->data, (uint32_t)i))
            continue;
        writing->numbers[i] = count++;
        error = write_node(writing, (uint32_t)i);
    }
    fputs("],\n\"names\":[", out);
    for (size_t i = 0; error == 0 && i < writing->texts.count; i++) {
        if (i > 0)
            fputc(',', out);
        escape_quoted(out, ESCAPE_SCRIPT, writing->texts.texts[i]);
    }
    fputs("],\n", out);
    return error;
}

static void write_values(const struct writing *writing, const uint64_t *weights)
{
    fputc('[', writing->out);
    for (size_t i = 0; i < writing->data->tree->count; i++) {
        if (writing->numbers[i] != UINT32_MAX)
            fprintf(writing->out, "%s%" PRIu64, i == 0 ? "" : ",", weights[i]);
    }
    fputc(']', writing->out);
}

static void write_measures(const struct writing *writing)
{
    const struct flame_data *data = writing->data;
    FILE *out = writing->out;

    fputs("\"measures\":[", out);
    for (unsigned i = 0; i < data->count; i++)
        fprintf(out, "%s[\"%s\",\"%s\"]", i == 0 ? "" : ",",
                data->values[i].name, data->values[i].unit);
    fprintf(out, "],\n\"chosen\":%u,\n", data->chosen);
    if (data->is_comparison)
        fputs("\"compared\":true,\n", out);
    fputs("\"values\":[", out);
    for (unsigned i = 0; i < data->count; i++) {
        fputs(i == 0 ? "" : ",\n", out);
        write_values(writing, data->values[i].weights);
    }
    fputc(']', out);
}

int flame_data_write(FILE *out, const struct flame_data *data)
{
    struct writing writing = { .out = out, .data = data };
    int error;

    writing.numbers = calloc(data->tree->count + 1, sizeof *writing.numbers);
    if (writing.numbers == NULL)
        return -1;
    fputs("<script><![CDATA[\nvar flame_data={\n", out);
    error = write_nodes(&writing);
    write_measures(&writing);
    fprintf(out, "};\n%s]]></script>\n", flame_script);
    text_pool_free(&writing.texts);
    free(writing.numbers);
    return error;
}
