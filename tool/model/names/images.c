/* SPDX-License-Identifier: Apache-2.0 */
/* images.c - see names.h */
#include "tool/model/names/names.h"

#include <dirent.h>
#include <errno.h>

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

/* Parse PID-GENERATION; return false for any other name. */
static bool parse_name(const char *name, struct image_file *file)
{
    return parse_number(&name, &file->pid) && *name++ == '-' &&
           parse_number(&name, &file->generation) && *name == '\0';
}

static int is_image(const struct dirent *entry)
{
    struct image_file file;

    return parse_name(entry->d_name, &file);
}

static int compare_images(const struct dirent **left,
                          const struct dirent **right)
{
    struct image_file a = { 0 }, b = { 0 };

    parse_name((*left)->d_name, &a);
    parse_name((*right)->d_name, &b);
    if (a.pid != b.pid)
        return a.pid < b.pid ? -1 : 1;
    return (a.generation > b.generation) - (a.generation < b.generation);
}

void images_open(struct image_list *list, const char *path)
{
    OWNED char *folder = memory_print("%s.d", path);
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_image, compare_images);

    *list = (struct image_list){ 0 };
    if (count < 0 && errno == ENOMEM)
        exit_out_of_memory();
    list->files =
        memory_zeroed(count < 0 ? 0 : (size_t)count, sizeof *list->files);
    for (int i = 0; i < count; i++) {
        struct image_file *file = &list->files[list->file_count++];

        parse_name(entries[i]->d_name, file);
        file->path = memory_print("%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

void images_close(struct image_list *list)
{
    for (size_t i = 0; i < list->file_count; i++)
        free(list->files[i].path);
    free(list->files);
    *list = (struct image_list){ 0 };
}
