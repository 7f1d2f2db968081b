/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod_file.c - see debuginfod_file.h, and debuginfod_find_executable(3) */
#include "tool/symbols/debuginfod_file.h"

#include <dlfcn.h>
#include <string.h>

typedef void *begin_fn(void);
typedef void end_fn(void *client);
typedef int find_fn(void *client, const unsigned char *build_id, int size,
                    char **path);

struct library {
    begin_fn *begin;
    end_fn *end;
    find_fn *find;
};

/* ISO C has no cast from an object to a function. */
static int find_symbol(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);

    memcpy(function, &found, sizeof found);
    return found == NULL ? -1 : 0;
}

/* Loaded once and kept. */
static const struct library *load(void)
{
    static struct library library;
    static void *handle;

    if (handle != NULL)
        return library.find == NULL ? NULL : &library;
    handle = dlopen("libdebuginfod.so.1", RTLD_NOW);
    if (handle == NULL ||
        find_symbol(handle, "debuginfod_begin", &library.begin) < 0 ||
        find_symbol(handle, "debuginfod_end", &library.end) < 0 ||
        find_symbol(handle, "debuginfod_find_executable", &library.find) < 0)
        return NULL;
    return &library;
}

int debuginfod_file_open(const uint8_t *build_id, size_t size)
{
    const struct library *library = size == 0 ? NULL : load();
    void *client = library == NULL ? NULL : library->begin();
    int descriptor;

    if (client == NULL)
        return -1;
    descriptor = library->find(client, build_id, (int)size, NULL);
    library->end(client);
    return descriptor < 0 ? -1 : descriptor;
}
