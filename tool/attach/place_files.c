/* SPDX-License-Identifier: Apache-2.0 */
/* place_files.c - see place_files.h */
#include "tool/attach/place_files.h"

#include <stdbool.h>
#include <stdio.h>

#include "tool/session/find/process_state.h"
#include "tool/tables/memory.h"

struct list {
    FILE *file;
    long pid, begin; /* of the lines of one file */
    uint64_t inode;
    char path[PROCESS_PATH_CAPACITY]; /* of the file's first line */
    bool has_code;
};

/* One without code is not loaded. */
static void end_file(struct list *list)
{
    if (!list->has_code)
        fseek(list->file, list->begin, SEEK_SET);
    list->begin = ftell(list->file);
    list->has_code = false;
}

/* A line of /proc/PID/maps, with the file as it is found from here. */
static void list_file(void *context, const struct smaps_entry *entry)
{
    struct list *list = context;

    if (entry->path[0] != '/')
        return;
    if (entry->offset == 0)
        end_file(list);
    if (entry->offset == 0 || entry->inode != list->inode)
        (void)process_mapped_path((pid_t)list->pid, entry, list->path);
    list->inode = entry->inode;
    list->has_code |= entry->access[2] == 'x';
    fprintf(list->file, "%lx-%lx %s %lx 00:00 %lu %s\n",
            (unsigned long)entry->start, (unsigned long)entry->end,
            entry->access, (unsigned long)entry->offset,
            (unsigned long)entry->inode, list->path);
}

char *place_files_list(pid_t pid)
{
    char *text = NULL;
    size_t size;
    struct list list = { .file = memory_got(open_memstream(&text, &size)),
                         .pid = pid };

    process_maps_see(pid, list_file, &list);
    end_file(&list);
    fclose(list.file);
    return memory_got(text);
}
