/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debian_package.c - the package that has a file's debug symbols
 *
 * dpkg keeps a list of files for each package. Since /lib became a link to
 * /usr/lib, lists have either name of a file, and so have programs.
 */
#include "tool/symbols/lookup.h"

#include <fcntl.h>
#include <glob.h>

#include "tool/files/files.h"

static const char merged[] = "/usr";

/* Return true if the package's list has `path`, which begins with /usr, or its
   path without /usr. */
static bool owns(const char *list, const char *path)
{
    int descriptor = regular_file_open(AT_FDCWD, list, O_RDONLY);
    FILE *file =
        descriptor < 0 ? NULL : memory_or_exit(fdopen(descriptor, "r"));
    OWNED char *line = NULL;
    size_t capacity = 0;
    bool is_there = false;

    while (file != NULL && !is_there && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        is_there =
            strcmp(line, path) == 0 || strcmp(line, path + strlen(merged)) == 0;
    }
    if (file != NULL)
        fclose(file);
    return is_there;
}

bool debian_package_find(const char *path, char name[DEBIAN_PACKAGE_SIZE])
{
    bool is_merged = strncmp(path, "/usr/", 5) == 0;
    OWNED char *whole = memory_print("%s%s", is_merged ? "" : merged, path);
    glob_t lists = { 0 };
    bool is_found;
    size_t i = 0;

    if (path[0] == '/' && glob("/var/lib/dpkg/info/*.list", GLOB_NOSORT, NULL,
                               &lists) == GLOB_NOSPACE)
        exit_out_of_memory();
    while (i < lists.gl_pathc && !owns(lists.gl_pathv[i], whole))
        i++;
    is_found = i < lists.gl_pathc;
    if (is_found) {
        const char *list = strrchr(lists.gl_pathv[i], '/') + 1;
        size_t length = strcspn(list, ":");

        if (list[length] == '\0')
            length -= strlen(".list");
        snprintf(name, DEBIAN_PACKAGE_SIZE, "%.*s-%s", (int)length, list,
                 strncmp(list, "libc6", 5) == 0 ? "dbg" : "dbgsym");
    }
    globfree(&lists);
    return is_found;
}
