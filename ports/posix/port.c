/* SPDX-License-Identifier: Apache-2.0 */
/* port.c - tally/port.h on POSIX systems: clock and modules */
#define _GNU_SOURCE
#include "tally/port.h"

#include <link.h>
#include <string.h>
#include <time.h>

#include "ports/posix/loaded_files.h"

enum { NS_PER_SECOND = 1000000000 };

uint64_t tally_port_time_ns(void)
{
    struct timespec now = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* For code that need not be fast. */
void **tally_port_thread_word(void)
{
    static _Thread_local void *word __attribute__((tls_model("initial-exec")));

    return &word;
}

bool tally_port_module_name(const void *address, char *name, size_t capacity)
{
    struct loaded_file found;
    const char *file, *end;
    size_t length;

    if (!loaded_files_find((uintptr_t)address, &found) || found.name[0] == '\0')
        return false;
    file = strrchr(found.name, '/');
    file = file == NULL ? found.name : file + 1;
    end = strstr(file, ".so");
    length = end == NULL || end == file ? strlen(file) : (size_t)(end - file);
    if (length >= capacity)
        length = capacity - 1;
    memcpy(name, file, length);
    name[length] = '\0';
    return true;
}

static int read_unloads(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(uint64_t *)context = info->dlpi_subs;
    return 1;
}

uint64_t tally_port_unloads(void)
{
    uint64_t unloads = 0;

    dl_iterate_phdr(read_unloads, &unloads);
    return unloads;
}
