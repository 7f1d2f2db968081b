/* SPDX-License-Identifier: Apache-2.0 */
/* export_tree.c - see exporter.h */
#include "tool/exporters/exporter.h"

#include <inttypes.h>
#include <stdarg.h>

/* Return the one name with that label. */
static const struct frame_name *name_label(struct export_tree *tree,
                                           const char *label)
{
    size_t count = tree->labels.count;
    uint32_t number = text_pool_add(&tree->labels, label);

    if (number == count) {
        const struct frame_name name = {
            .label = tree->labels.texts[number],
            .label_number = number,
        };

        ARENA_ADD(tree->tree.arena, tree->made, count,
                  arena_copy(tree->tree.arena, &name, sizeof name));
    }
    return tree->made[number];
}

/* Go to the child of that label. */
static __attribute__((format(printf, 3, 4))) void
descend(struct export_tree *tree, uint32_t *node, const char *format, ...)
{
    const struct frame_name *name;
    va_list arguments;
    OWNED char *label = NULL;
    int length;

    va_start(arguments, format);
    length = vasprintf(&label, format, arguments);
    va_end(arguments);
    if (length < 0)
        exit_out_of_memory();
    name = name_label(tree, label);
    *node = call_tree_child(&tree->tree, *node, name->label_number, name);
}

static void add_site(struct export_tree *tree, const struct profile *profile,
                     const struct profile_site *site,
                     const struct site_name *name)
{
    const char *module = site_module(profile, site, name);
    OWNED char *label = site_label(site, name);
    uint32_t node = 0;

    if (module != NULL)
        descend(tree, &node, "[%s]", module);
    else
        descend(tree, &node, "%s",
                site->label != NULL    ? "built-in"
                : name->module == NULL ? "unknown"
                                       : base_name(name->module));
    if (name->file != NULL)
        descend(tree, &node, "%s", name->file);
    if (name->file != NULL && name->line != 0)
        descend(tree, &node, "%s:%" PRIu64, label, name->line);
    else
        descend(tree, &node, "%s", label);
    if (site->kind != LEDGER_SITE_HEAP)
        node = call_tree_child(&tree->tree, node,
                               frame_kinds[site->kind].label_number,
                               &frame_kinds[site->kind]);
    call_tree_add(&tree->tree, node, &site->amounts);
}

void export_tree_open(struct export_tree *tree, const struct export_job *job,
                      enum call_tree_key key)
{
    *tree = (struct export_tree){
        .tree = { .arena = job->profile->arena,
                  .names = job->frames,
                  .profile = job->profile,
                  .key = key },
        .labels.table.arena = job->profile->arena,
        .is_of_sites = !job->has_stacks,
    };
    call_tree_make_root(&tree->tree);
    for (size_t i = 0; tree->is_of_sites && i < job->profile->caller_count; i++)
        add_site(tree, job->profile, &job->profile->callers[i],
                 &job->names->sites[i]);
    if (!tree->is_of_sites)
        call_tree_add_from_roots(&tree->tree);
}
