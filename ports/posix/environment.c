/* SPDX-License-Identifier: Apache-2.0 */
/* environment.c - see environment.h */
#define _GNU_SOURCE
#include "ports/posix/environment.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/*
 * The loader's: where the kernel put the number of arguments; they follow, a
 * NULL, and the environment.
 */
extern void *__libc_stack_end __attribute__((weak));

/*
 * A library with -z initfirst may allocate before libc has set environ, and a
 * program may clear it.
 */
static char **entries(void)
{
    static bool is_set;
    char **arguments;

    if (environ != NULL)
        __atomic_store_n(&is_set, true, __ATOMIC_RELAXED);
    if (__atomic_load_n(&is_set, __ATOMIC_RELAXED) || &__libc_stack_end == NULL)
        return environ;
    arguments = (char **)__libc_stack_end + 1;
    return arguments + *(long *)__libc_stack_end + 1;
}

/* Not getenv: libc may not be ready when the first allocation comes. */
const char *environment_find(const char *name)
{
    size_t length = strlen(name);
    char **entry = getauxval(AT_SECURE) != 0 ? NULL : entries();

    for (; entry != NULL && *entry != NULL; entry++) {
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return *entry + length + 1;
    }
    return NULL;
}
