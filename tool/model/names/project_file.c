/* SPDX-License-Identifier: Apache-2.0 */
/* project_file.c - see project_file.h */
#include "tool/model/names/project_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/tables/memory.h"

struct list {
    struct project_file *project;
    struct glob_list *globs;
};

/* What another user left above us is none of ours. */
static bool is_ours(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_uid == geteuid() || status.st_uid == 0);
}

char *project_file_find(void)
{
    char *folder = getcwd(NULL, 0), *end = folder;
    const char *home = secure_getenv("HOME");
    char *path = NULL;

    while (end != NULL && path == NULL) {
        path = memory_print("%s/.tally.yaml", folder);
        if (!is_ours(path)) {
            free(path);
            path = NULL;
        }
        end = home != NULL && strcmp(folder, home) == 0 ? NULL
                                                        : strrchr(folder, '/');
        if (end != NULL)
            *end = '\0';
    }
    free(folder);
    return path;
}

static int add_glob(struct yaml_file *file, void *context)
{
    const struct list *list = context;

    if (list->globs->count == GLOB_LIMIT)
        return yaml_refuse(file, 0, "it is one glob too many",
                           "64 are the most, with those of options");
    list->globs->globs[list->globs->count++] =
        text_pool_keep(list->project->texts, yaml_text(file));
    return 0;
}

static int read_members(struct yaml_file *file, void *context)
{
    struct project_file *project = context;

    while (yaml_go_on(file) == 0) {
        const char *key = yaml_text(file);
        bool is_hide = key != NULL && strcmp(key, "hide") == 0;
        struct list list = { project,
                             is_hide ? project->hide : project->focus };

        if (file->event.type == YAML_MAPPING_END_EVENT)
            return 0;
        if (key == NULL || (!is_hide && strcmp(key, "focus") != 0))
            return yaml_refuse(file, 0, "this key is unknown here", file->form);
        if (yaml_read_list(file, add_glob, &list) < 0)
            return -1;
    }
    return -1;
}

int project_file_read(struct project_file *project, const char *name, FILE *in,
                      struct yaml_failure *failure)
{
    return yaml_read(name, in, "hide: and focus: are lists of globs",
                     read_members, project, failure);
}
