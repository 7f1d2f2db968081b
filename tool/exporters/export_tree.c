/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export_tree.c - what is exported, as one tree from the outermost call on
 */
#include "tool/exporters/export_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/model/names/site_rows.h"
#include "tool/tables/array.h"

/* The one name of that label; NULL without memory. */
static const struct frame_name *name_label(struct export_tree *tree,
                                           const char *label)
{
    uint32_t number;
    size_t count = tree->labels.count;

    if (text_pool_add(&tree->labels, label, &number) < 0)
        return NULL;
    if (number == count) {
        struct frame_name **made = array_grow(tree->made, count, sizeof(*made));

        if (made == NULL)
            return NULL;
        tree->made = made;
        made[number] = calloc(1, sizeof(struct frame_name));
    }
    if (tree->made[number] != NULL)
        *tree->made[number] = (struct frame_name){
            .label = text_pool_text(&tree->labels, number),
            .label_number = number,
        };
    return tree->made[number];
}

/* Go to the child of that label, which asprintf() made, and free it. */
static int descend(struct export_tree *tree, uint32_t *node, int length,
                   char *label)
{
    const struct frame_name *name;
    int error = -1;

    if (length < 0)
        return -1;
    name = name_label(tree, label);
    if (name != NULL)
        error = call_tree_child(&tree->tree, *node, name, node);
    free(label);
    return error;
}

static int descend_module(struct export_tree *tree, uint32_t *node,
                          const struct profile_site *site,
                          const struct site_name *name,
                          const struct allocinfo_row *row)
{
    const char *module = name->module == NULL ? "unknown" : name->module;
    char *label;
    int length;

    if (row->module.length > 0)
        length = asprintf(&label, "[%.*s]", (int)row->module.length,
                          row->module.bytes);
    else
        length = asprintf(&label, "%s",
                          site->label != NULL ? "built-in" : base_name(module));
    return descend(tree, node, length, label);
}

static int descend_function(struct export_tree *tree, uint32_t *node,
                            const struct site_name *name,
                            const struct allocinfo_row *row)
{
    char *label;
    int length;

    if (name->file != NULL && name->line != 0)
        length = asprintf(&label, "%.*s:%" PRIu64, (int)row->function.length,
                          row->function.bytes, name->line);
    else
        length = asprintf(&label, "%.*s", (int)row->function.length,
                          row->function.bytes);
    return descend(tree, node, length, label);
}

static int add_site(struct export_tree *tree, const struct profile_site *site,
                    const struct site_name *name,
                    const struct allocinfo_row *row)
{
    uint32_t node = 0;

    if (descend_module(tree, &node, site, name, row) < 0)
        return -1;
    if (name->file != NULL) {
        char *label = NULL;
        int length = asprintf(&label, "%s", name->file);

        if (descend(tree, &node, length, label) < 0)
            return -1;
    }
    if (descend_function(tree, &node, name, row) < 0)
        return -1;
    return call_tree_add(&tree->tree, node, &site->amounts);
}

static int add_sites(struct export_tree *tree, const struct export_job *job)
{
    struct site_rows rows;
    int error = site_rows_open(&rows, job->profile, job->names);

    for (size_t i = 0; error == 0 && i < rows.count; i++) {
        if (job->profile->sites[i].kind == LEDGER_SITE_HEAP)
            error = add_site(tree, &job->profile->sites[i],
                             &job->names->sites[i], &rows.rows[i]);
    }
    site_rows_close(&rows);
    return error;
}

int export_tree_open(struct export_tree *tree, const struct export_job *job)
{
    *tree = (struct export_tree){
        .tree = { .names = job->frames, .profile = job->profile },
        .is_of_sites = !job->has_stacks,
    };
    if (call_tree_make_root(&tree->tree) < 0)
        return -1;
    return tree->is_of_sites ? add_sites(tree, job)
                             : call_tree_add_from_roots(&tree->tree);
}

void export_tree_close(struct export_tree *tree)
{
    for (size_t i = 0; i < tree->labels.count && tree->made != NULL; i++)
        free(tree->made[i]);
    free(tree->made);
    text_pool_free(&tree->labels);
    call_tree_close(&tree->tree);
}
