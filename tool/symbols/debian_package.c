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
#include <sys/stat.h>
#include <unistd.h>

static const char folder[] = "/var/lib/dpkg/info";
static const char merged[] = "/usr";

/* The content of a list, NUL-terminated; NULL if it cannot be read. */
static char *read_list(int folder_fd, const char *name)
{
    int descriptor = openat(folder_fd, name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    char *content = NULL;
    ssize_t length = -1;

    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        content = malloc((size_t)status.st_size + 1);
    if (content != NULL)
        length = read(descriptor, content, (size_t)status.st_size);
    close(descriptor);
    if (length < 0) {
        free(content);
        return NULL;
    }
    content[length] = '\0';
    return content;
}

static bool has_line(const char *content, const char *line)
{
    size_t length = strlen(line);
    const char *at = content;

    while ((at = strstr(at, line)) != NULL) {
        if ((at == content || at[-1] == '\n') &&
            (at[length] == '\n' || at[length] == '\0'))
            return true;
        at += length;
    }
    return false;
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);

    return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* `path` begins with /usr. */
static bool owns(int folder_fd, const char *list, const char *path)
{
    char *content = read_list(folder_fd, list);
    bool is_there =
        content != NULL &&
        (has_line(content, path) || has_line(content, path + strlen(merged)));

    free(content);
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
