/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_place.c - see cgroup_place.h */
#include "tool/session/find/cgroup_place.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Return true if a list of words with commas has "memory". */
static bool has_memory(const char *list)
{
    size_t length = strlen("memory");

    for (; list != NULL; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, "memory", length) == 0 &&
            (list[length] == ',' || list[length] == '\0'))
            return true;
    }
    return false;
}

/* The path of the group, "" for none; that of v1 where both have one. */
static void find_path(FILE *cgroup, char path[PATH_MAX], bool *is_second)
{
    char *line = NULL;
    size_t size = 0;

    path[0] = '\0';
    while (getline(&line, &size, cgroup) > 0) {
        char *names = strchr(line, ':');
        char *at = names == NULL ? NULL : strchr(++names, ':');

        if (at == NULL)
            continue;
        *at++ = '\0';
        at[strcspn(at, "\n")] = '\0';
        if (*at == '/' && strlen(at) < PATH_MAX &&
            (has_memory(names) || (*names == '\0' && path[0] == '\0'))) {
            strcpy(path, at);
            *is_second = *names == '\0';
        }
    }
    free(line);
}

/* Spaces and the like are written as \040. */
static void unescape(char *text)
{
    char *out = text;

    for (; *text != '\0'; text++) {
        unsigned byte = (unsigned char)*text;

        if (byte == '\\' && sscanf(text + 1, "%3o", &byte) == 1)
            text += strnlen(text, 4) - 1;
        *out++ = (char)byte;
    }
    *out = '\0';
}

/* Read from a line of mountinfo where groups of memory are mounted, and
   which. */
static bool read_mount(const char *line, bool is_second, char root[PATH_MAX],
                       char top[PATH_MAX])
{
    const char *rest = strstr(line, " - ");
    char kind[16], options[256] = "";

    _Static_assert(PATH_MAX == 4096, "as the formats say");
    if (rest == NULL ||
        sscanf(line, "%*s %*s %*s %4095s %4095s", root, top) != 2 ||
        sscanf(rest, " - %15s %*s %255s", kind, options) < 1)
        return false;
    unescape(root);
    unescape(top);
    return *top == '/' &&
           (is_second ? strcmp(kind, "cgroup2") == 0
                      : strcmp(kind, "cgroup") == 0 && has_memory(options));
}

/* Return the part of `path` below the mounted folder: a namespace may show
   another. */
static const char *below(const char *path, const char *root)
{
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);

    return strncmp(path, root, length) != 0 || path[length] != '/' ||
                   strstr(path, "/..") != NULL || path[1] == '\0'
               ? ""
               : path + length;
}

bool cgroup_place_find(FILE *cgroup, FILE *mounts, struct cgroup_place *place)
{
    char path[PATH_MAX], root[PATH_MAX], top[PATH_MAX], *line = NULL;
    bool is_found = false;
    size_t size = 0;

    find_path(cgroup, path, &place->is_second);
    while (path[0] != '\0' && !is_found && getline(&line, &size, mounts) > 0) {
        if (!read_mount(line, place->is_second, root, top))
            continue;
        place->top = strlen(top);
        is_found = snprintf(place->folder, PATH_MAX, "%s%s", top,
                            below(path, root)) < PATH_MAX - 64;
    }
    free(line);
    return is_found;
}

uint64_t cgroup_number(const char *text, const char *name, uint64_t none)
{
    size_t length = strlen(name);
    unsigned long long value;

    while (text != NULL && (strncmp(text, name, length) != 0 ||
                            !isdigit((unsigned char)text[length]))) {
        text = strchr(text, '\n');
        if (text != NULL)
            text++;
    }
    errno = 0;
    value = text == NULL ? 0 : strtoull(text + length, NULL, 10);
    return text == NULL || errno != 0 ? none : value;
}
