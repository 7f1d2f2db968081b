/* SPDX-License-Identifier: Apache-2.0 */
/* export_tree.c - see export_tree.h */
#include "tool/exporters/export_tree.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool/model/names/site_rows.h"
#include "tool/tables/array.h"

/* The one name of that label. */
static const struct frame_name *name_label(struct export_tree *tree,
                                           const char *label)
{
    size_t count = tree->labels.count;
    uint32_t number = text_pool_add(&tree->labels, label);

    if (number == count) {
        ARRAY_ADD(tree->made, count,
                  memory_zeroed(1, sizeof(struct frame_name)));
        *tree->made[number] = (struct frame_name){
            .label = tree->labels.texts[number],
            .label_number = number,
        };
    }
    return tree->made[number];
}

/* Go to the child of that label. */
static __attribute__((format(printf, 3, 4))) void
descend(struct export_tree *tree, uint32_t *node, const char *format, ...)
{
    const struct frame_name *name;
    va_list arguments;
    char *label;
    int length;

    va_start(arguments, format);
    length = vasprintf(&label, format, arguments);
    va_end(arguments);
    if (length < 0)
        memory_end();
    name = name_label(tree, label);
    *node = call_tree_child(&tree->tree, *node, name->label_number, name);
    free(label);
}

static void add_site(struct export_tree *tree, const struct profile_site *site,
                     const struct site_name *name,
                     const struct allocinfo_row *row)
{
    const char *module = name->module == NULL ? "unknown" : name->module;
    int length = (int)row->function.length;
    uint32_t node = 0;

    if (row->module.length > 0)
        descend(tree, &node, "[%.*s]", (int)row->module.length,
                row->module.bytes);
    else
        descend(tree, &node, "%s",
                site->label != NULL ? "built-in" : base_name(module));
    if (name->file != NULL)
        descend(tree, &node, "%s", name->file);
    if (name->file != NULL && name->line != 0)
        descend(tree, &node, "%.*s:%" PRIu64, length, row->function.bytes,
                name->line);
    else
        descend(tree, &node, "%.*s", length, row->function.bytes);
    if (site->kind != LEDGER_SITE_HEAP)
        node = call_tree_child(&tree->tree, node,
                               frame_kinds[site->kind].label_number,
                               &frame_kinds[site->kind]);
    call_tree_add(&tree->tree, node, &site->amounts);
}

static void add_sites(struct export_tree *tree, const struct export_job *job)
{
    struct site_rows rows;

    site_rows_open(&rows, job->profile, job->names);
    for (size_t i = 0; i < rows.count; i++) {
        add_site(tree, &job->profile->sites[i], &job->names->sites[i],
                 &rows.rows[i]);
    }
    site_rows_close(&rows);
}

void export_tree_open(struct export_tree *tree, const struct export_job *job,
                      enum call_tree_key key)
{
    *tree = (struct export_tree){
        .tree = { .names = job->frames, .profile = job->profile, .key = key },
        .is_of_sites = !job->has_stacks,
    };
    call_tree_make_root(&tree->tree);
    if (tree->is_of_sites)
        add_sites(tree, job);
    else
        call_tree_add_from_roots(&tree->tree);
}

void export_tree_close(struct export_tree *tree)
{
    for (size_t i = 0; i < tree->labels.count; i++)
        free(tree->made[i]);
    free(tree->made);
    text_pool_free(&tree->labels);
    call_tree_close(&tree->tree);
}
