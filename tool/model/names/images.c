/* SPDX-License-Identifier: Apache-2.0 */
/* images.c - see images.h */
#include "tool/model/names/images.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tables/array.h"

static bool parse_number(const char **text, uint32_t *number)
{
    uint64_t value = 0;
    const char *at = *text;

    while (*at >= '0' && *at <= '9' && value <= UINT32_MAX)
        value = value * 10 + (uint64_t)(*at++ - '0');
    if (at == *text || value > UINT32_MAX)
        return false;
    *text = at;
    *number = (uint32_t)value;
    return true;
}

/* PID-GENERATION and nothing else; other files there are none of ours. */
static bool parse_name(const char *name, struct image_file *file)
{
    return parse_number(&name, &file->pid) && *name++ == '-' &&
           parse_number(&name, &file->generation) && *name == '\0';
}

static int add_file(struct image_list *list, const char *folder,
                    const char *name)
{
    struct image_file file = { 0 }, *files;

    if (!parse_name(name, &file))
        return 0;
    files = array_grow(list->files, list->file_count, sizeof *files);
    if (files == NULL)
        return -1;
    list->files = files;
    if (asprintf(&file.path, "%s/%s", folder, name) < 0)
        return -1;
    files[list->file_count++] = file;
    return 0;
}

static int compare_files(const void *left, const void *right)
{
    const struct image_file *a = left;
    const struct image_file *b = right;

    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return (a->generation > b->generation) - (a->generation < b->generation);
}

int images_open(struct image_list *list, const char *path)
{
    char *folder = NULL;
    struct dirent *entry;
    DIR *stream;
    int error = 0;

    *list = (struct image_list){ 0 };
    if (asprintf(&folder, "%s.d", path) < 0)
        return -1;
    stream = opendir(folder);
    if (stream == NULL)
        error = errno == ENOMEM ? -1 : 0;
    while (stream != NULL && error == 0 && (entry = readdir(stream)) != NULL)
        error = add_file(list, folder, entry->d_name);
    if (stream != NULL)
        closedir(stream);
    if (list->file_count > 1)
        qsort(list->files, list->file_count, sizeof *list->files,
              compare_files);
    free(folder);
    return error;
}

void images_close(struct image_list *list)
{
    for (size_t i = 0; i < list->file_count; i++)
        free(list->files[i].path);
    free(list->files);
    *list = (struct image_list){ 0 };
}
