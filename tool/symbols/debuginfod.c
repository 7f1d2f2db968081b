/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod.c - see lookup.h and debuginfod_find_executable(3) */
#include "tool/symbols/lookup.h"

#include <dlfcn.h>
#include <signal.h>

static struct {
    void *(*begin)(void);
    void (*end)(void *client);
    int (*find)(void *client, const unsigned char *build_id, int size,
                char **path);
    void (*watch)(void *client, int (*is_over)(void *client, long, long));
} library;

/* Return nonzero, which ends a request and all later ones, once a signal that
   is held back came. */
static int is_over(void *client, long done, long all)
{
    static _Atomic bool came;
    sigset_t waiting;

    (void)(client == NULL ? done : all);
    sigpending(&waiting);
    came = came || sigismember(&waiting, SIGINT) == 1 ||
           sigismember(&waiting, SIGTERM) == 1;
    return came;
}

/* Find a function by name: ISO C has no cast from an object to a function. */
static bool find_symbol(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);

    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* Load the library once and keep it. */
static bool load(void)
{
    static void *handle;

    if (handle != NULL)
        return library.find != NULL;
    handle = dlopen("libdebuginfod.so.1", RTLD_NOW);
    return handle != NULL &&
           find_symbol(handle, "debuginfod_begin", &library.begin) &&
           find_symbol(handle, "debuginfod_end", &library.end) &&
           find_symbol(handle, "debuginfod_set_progressfn", &library.watch) &&
           find_symbol(handle, "debuginfod_find_executable", &library.find);
}

void debuginfod_watch(void *client)
{
    if (client != NULL && load())
        library.watch(client, is_over);
}

int debuginfod_open(const uint8_t *build_id, size_t size)
{
    void *client = size > 0 && load() ? library.begin() : NULL;
    int descriptor;

    if (client == NULL)
        return -1;
    library.watch(client, is_over);
    descriptor = library.find(client, build_id, (int)size, NULL);
    library.end(client);
    return descriptor < 0 ? -1 : descriptor;
}
