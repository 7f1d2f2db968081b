/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debian_package.c - the package that has a file's debug symbols
 *
 * dpkg keeps a list of files for each package. Since /lib became a link to
 * /usr/lib, lists have either name of a file, and so have programs.
 */
#include "tool/symbols/debian_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/files/regular_file.h"

static const char folder[] = "/var/lib/dpkg/info";
static const char merged[] = "/usr";

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);

    return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* `path` begins with /usr. */
static bool owns(int folder_fd, const char *list, const char *path)
{
    int descriptor = regular_file_open(folder_fd, list, O_RDONLY);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    char *line = NULL;
    size_t capacity = 0;
    bool is_there = false;

    if (file == NULL && descriptor >= 0)
        close(descriptor);
    while (file != NULL && !is_there && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        is_there =
            strcmp(line, path) == 0 || strcmp(line, path + strlen(merged)) == 0;
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return is_there;
}

bool debian_package_find(const char *path, char name[DEBIAN_PACKAGE_SIZE])
{
    bool is_merged = strncmp(path, "/usr/", 5) == 0;
    DIR *stream = path[0] == '/' ? opendir(folder) : NULL;
    struct dirent *entry;
    bool is_found = false;
    char *whole = NULL;

    if (asprintf(&whole, "%s%s", is_merged ? "" : merged, path) < 0)
        whole = NULL;
    while (stream != NULL && whole != NULL && !is_found &&
           (entry = readdir(stream)) != NULL) {
        int length = (int)strcspn(entry->d_name, ":");

        if (!ends_in(entry->d_name, ".list") ||
            !owns(dirfd(stream), entry->d_name, whole))
            continue;
        if (entry->d_name[length] == '\0')
            length -= 5;
        snprintf(name, DEBIAN_PACKAGE_SIZE, "%.*s-%s", length, entry->d_name,
                 strncmp(entry->d_name, "libc6", 5) == 0 ? "dbg" : "dbgsym");
        is_found = true;
    }
    free(whole);
    if (stream != NULL)
        closedir(stream);
    return is_found;
}
