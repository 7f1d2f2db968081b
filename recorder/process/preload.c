/* SPDX-License-Identifier: Apache-2.0 */
/* preload.c - reading and editing LD_PRELOAD; see preload.h */
#define _GNU_SOURCE
#include "recorder/process/preload.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "format/sanitizer_runtimes.h"
#include "ledger/space/modules.h"
#include "ports/posix/raw_calls.h"

#define VARIABLE "LD_PRELOAD="

static const char separators[] = ": ";

/* This library, by the name that the loader was given. */
static const char *own_path(void)
{
    return modules_path_of(separators);
}

static bool is_own_entry(const char *entry, size_t length)
{
    const char *path = own_path();

    return path != NULL && strlen(path) == length &&
           memcmp(path, entry, length) == 0;
}

static const char *find_variable(char *const environment[])
{
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        if (strncmp(environment[i], VARIABLE, strlen(VARIABLE)) == 0)
            return environment[i];
    }
    return NULL;
}

bool preload_is_ours(char *const environment[])
{
    const char *entry = find_variable(environment);

    if (entry == NULL)
        return false;
    for (entry += strlen(VARIABLE); *entry != '\0';) {
        size_t length = strcspn(entry, separators);

        if (is_own_entry(entry, length))
            return true;
        entry += length + (entry[length] != '\0');
    }
    return false;
}

bool preload_has_runtime(char *const environment[])
{
    const char *variable = find_variable(environment);

    return variable != NULL &&
           sanitizer_runtime_of(variable + strlen(VARIABLE)) != NULL;
}

bool preload_is_there(void)
{
    const char *path = own_path();

    return path != NULL && raw_call(SYS_faccessat, AT_FDCWD, RAW_ARGUMENT(path),
                                    R_OK, 0, 0, 0) == 0;
}

size_t preload_strip_room(char *const environment[])
{
    const char *variable = find_variable(environment);
    size_t count = 0;

    while (environment != NULL && environment[count] != NULL)
        count++;
    return (count + 1) * sizeof(char *) +
           (variable == NULL ? 0 : strlen(variable) + 1);
}

/* VARIABLE without our entry at `text`; false when nothing is left of it. */
static bool write_variable(const char *variable, char *text)
{
    const char *entry = variable + strlen(VARIABLE);
    char *end = text + strlen(VARIABLE);

    memcpy(text, VARIABLE, strlen(VARIABLE));
    while (*entry != '\0') {
        size_t length = strcspn(entry, separators);

        if (length > 0 && !is_own_entry(entry, length)) {
            if (end > text + strlen(VARIABLE))
                *end++ = ':';
            memcpy(end, entry, length);
            end += length;
        }
        entry += length + (entry[length] != '\0');
    }
    *end = '\0';
    return end > text + strlen(VARIABLE);
}

char **preload_strip(char *const environment[], void *room)
{
    const char *variable = find_variable(environment);
    char **stripped = room;
    size_t count = 0, kept = 0;
    char *text;

    while (environment[count] != NULL)
        count++;
    text = (char *)(stripped + count + 1);
    for (size_t i = 0; i < count; i++) {
        if (environment[i] != variable)
            stripped[kept++] = environment[i];
        else if (write_variable(variable, text))
            stripped[kept++] = text;
    }
    stripped[kept] = NULL;
    return stripped;
}
