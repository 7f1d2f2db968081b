/* SPDX-License-Identifier: Apache-2.0 */
/* project_file.c - see blamed_calls.h */
#include "tool/model/names/blamed_calls.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "tool/files/files.h"

struct list {
    struct project_file *project;
    struct glob_list *globs;
};

/* Return true if only this user, its group and root may write the file. Check
   the descriptor: its name may lead elsewhere by now. */
static bool is_ours(int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 &&
           (status.st_uid == geteuid() || status.st_uid == 0) &&
           (status.st_mode & S_IWOTH) == 0 &&
           ((status.st_mode & S_IWGRP) == 0 || status.st_gid == getegid());
}

static FILE *open_ours(const char *path)
{
    int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd =
        folder >= 0 && is_ours(folder)
            ? regular_file_open(folder, ".tally.yaml", O_RDONLY | O_NOFOLLOW)
            : -1;
    FILE *file =
        fd >= 0 && is_ours(fd) ? memory_or_exit(fdopen(fd, "r")) : NULL;

    if (file == NULL && fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    return file;
}

FILE *project_file_find(char **path)
{
    char *folder = getcwd(NULL, 0), *end = folder;
    const char *home = secure_getenv("HOME");
    FILE *file = NULL;

    while (end != NULL && file == NULL) {
        file = open_ours(*folder == '\0' ? "/" : folder);
        if (file != NULL)
            *path = memory_print("%s/.tally.yaml", folder);
        end = home != NULL && strcmp(folder, home) == 0 ? NULL
                                                        : strrchr(folder, '/');
        if (end != NULL)
            *end = '\0';
    }
    free(folder);
    return file;
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
            return yaml_refuse(file, 0, "unknown key", file->form);
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
