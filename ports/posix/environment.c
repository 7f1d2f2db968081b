/* SPDX-License-Identifier: Apache-2.0 */
/* environment.c - tally/port.h: environment, descriptors, console, errno */
#define _GNU_SOURCE
#include "tally/port.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "ports/posix/raw_calls.h"

/* Return the environment's entries. A library with -z initfirst may allocate
   before libc has set environ, and a program may clear it. */
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

/*
 * libtally, the recorder and this port read the environment only here, as
 * scripts/check-layers ensures. Not getenv: libc may not be ready at the
 * first allocation. A privileged program (set-user-ID, set-group-ID, file
 * capabilities: AT_SECURE) has no environment here, since its caller controls
 * every byte.
 */
const char *tally_port_environment(const char *name)
{
    size_t length = strlen(name);
    char **entry = getauxval(AT_SECURE) != 0 ? NULL : entries();

    for (; entry != NULL && *entry != NULL; entry++) {
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return *entry + length + 1;
    }
    return NULL;
}

/* Not libc's write(), which is a cancellation point. */
int tally_port_write(int descriptor, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        long written = raw_call(SYS_write, descriptor, RAW_ARGUMENT(at),
                                (long)size, 0, 0, 0);

        if (written > 0) {
            at += written;
            size -= (size_t)written;
        } else if (written != -EINTR) {
            return written == 0 ? -EIO : (int)written;
        }
    }
    return 0;
}

void tally_port_console(const char *line, size_t size)
{
    tally_port_write(STDERR_FILENO, line, size);
}

void tally_port_abort(void)
{
    abort();
}

int *tally_port_errno(void)
{
    return &errno;
}
