/* SPDX-License-Identifier: Apache-2.0 */
/* renamed_folders.c - both sides in order of function, module, name, path */
#include "tool/model/compare/renamed_folders.h"

#include <stdlib.h>
#include <string.h>

#include "tool/tables/memory.h"

struct file {
    const struct allocinfo_row *row;
    size_t number; /* of the row */
    bool is_before;
};

static struct text_view name_of(struct text_view path)
{
    const char *slash = memrchr(path.bytes, '/', path.length);

    if (slash != NULL) {
        path.length -= (size_t)(slash + 1 - path.bytes);
        path.bytes = slash + 1;
    }
    return path;
}

static int compare_groups(const struct file *a, const struct file *b)
{
    int order = allocinfo_compare_texts(a->row->function, b->row->function);

    if (order == 0)
        order = allocinfo_compare_texts(a->row->module, b->row->module);
    return order != 0 ? order
                      : allocinfo_compare_texts(name_of(a->row->file),
                                                name_of(b->row->file));
}

static int compare_files(const void *left, const void *right)
{
    const struct file *a = left, *b = right;
    int order = compare_groups(a, b);

    return order != 0 ? order
                      : allocinfo_compare_texts(a->row->file, b->row->file);
}

/* The files of a group, path by path. */
static void match_group(struct allocinfo_row *before, const struct file *files,
                        size_t count)
{
    const struct file *old = NULL, *new = NULL;
    size_t old_count = 0, path_counts[2] = { 0, 0 };

    for (size_t i = 0, end; i < count; i = end) {
        size_t of_before = 0;

        for (end = i; end < count && compare_files(&files[i], &files[end]) == 0;
             end++)
            of_before += files[end].is_before;
        if (of_before == end - i) {
            old = &files[i];
            old_count = of_before;
            path_counts[0]++;
        } else if (of_before == 0) {
            new = &files[i];
            path_counts[1]++;
        }
    }
    if (path_counts[0] != 1 || path_counts[1] != 1)
        return;
    for (size_t i = 0; i < old_count; i++)
        before[old[i].number].file = new->row->file;
}

void renamed_folders_match(struct allocinfo_row *before, size_t before_count,
                           const struct allocinfo_row *after,
                           size_t after_count)
{
    size_t count = before_count + after_count;
    struct file *files = memory_zeroed(count + 1, sizeof *files);

    for (size_t i = 0; i < count; i++)
        files[i] = i < before_count
                       ? (struct file){ &before[i], i, true }
                       : (struct file){ &after[i - before_count], 0, false };
    qsort(files, count, sizeof *files, compare_files);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i;
             end < count && compare_groups(&files[i], &files[end]) == 0; end++)
            ;
        match_group(before, &files[i], end - i);
    }
    free(files);
}
