/* SPDX-License-Identifier: Apache-2.0 */
/* child_environment.c - see child_environment.h */
#include "tool/launch/child_environment.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/ledger/session_layout.h"

#define PRELOAD "LD_PRELOAD"

/* The value, if `entry` sets the variable `name`; else NULL. */
static const char *value_of(const char *entry, const char *name)
{
    size_t length = strlen(name);

    return strncmp(entry, name, length) == 0 && entry[length] == '='
               ? entry + length + 1
               : NULL;
}

static char *join(const char *name, const char *value, const char *separator,
                  const char *rest)
{
    char *entry = NULL;

    if (asprintf(&entry, "%s=%s%s%s", name, value, separator, rest) < 0)
        return NULL;
    return entry;
}

static char *preload_entry(const char *recorder, const char *held)
{
    size_t length = strlen(recorder);
    bool is_there =
        strncmp(held, recorder, length) == 0 &&
        (held[length] == '\0' || held[length] == ':' || held[length] == ' ');

    if (is_there) /* a recording inside a recording */
        return join(PRELOAD, held, "", "");
    return join(PRELOAD, recorder, *held == '\0' ? "" : ":", held);
}

/*
 * The shell leaves in "_" what it runs. It ran us, but would have run the
 * program.
 */
static bool names_this_command(const char *path)
{
    struct stat named, own;

    return stat(path, &named) == 0 && stat("/proc/self/exe", &own) == 0 &&
           named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

void child_environment_destroy(char **environment)
{
    if (environment == NULL)
        return;
    for (char **entry = environment; *entry != NULL; entry++)
        free(*entry);
    free(environment);
}

static char *child_entry(const char *entry, const char *recorder,
                         const char *session, const char *program)
{
    const char *value;

    if ((value = value_of(entry, PRELOAD)) != NULL)
        return preload_entry(recorder, value);
    if (value_of(entry, SESSION_ENVIRONMENT) != NULL)
        return join(SESSION_ENVIRONMENT, session, "", "");
    if ((value = value_of(entry, "_")) != NULL && names_this_command(value))
        return join("_", program, "", "");
    return strdup(entry);
}

char **child_environment_create(char *const *environment, const char *recorder,
                                const char *session, const char *program,
                                struct session_failure *failure)
{
    bool has_preload = false;
    bool has_session = false;
    size_t count = 0;
    char **child;

    while (environment[count] != NULL)
        count++;
    child = calloc(count + 3, sizeof *child);
    if (child == NULL)
        goto no_memory;
    for (size_t i = 0; i < count; i++) {
        has_preload |= value_of(environment[i], PRELOAD) != NULL;
        has_session |= value_of(environment[i], SESSION_ENVIRONMENT) != NULL;
        child[i] = child_entry(environment[i], recorder, session, program);
        if (child[i] == NULL)
            goto no_memory;
    }
    if (!has_preload && (child[count++] = preload_entry(recorder, "")) == NULL)
        goto no_memory;
    if (!has_session &&
        (child[count++] = join(SESSION_ENVIRONMENT, session, "", "")) == NULL)
        goto no_memory;
    return child;

no_memory:
    child_environment_destroy(child);
    session_fail(failure, "record: out of memory; free some");
    return NULL;
}
