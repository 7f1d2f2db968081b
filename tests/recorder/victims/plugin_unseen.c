/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin_unseen.c - a plugin unloaded unnoticed, and another in its place
 *
 * libc's own dlclose unloads it, found past the preload. The loader reuses the
 * address for the second file, and its record too. Allocations of the second
 * file are its own.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { ROUNDS = 10 };

static char path[4096];
static int (*close_unseen)(void *handle);

/* Call a plugin's function; return the loader's record, which is gone later. */
static uintptr_t call(const char *name, uintptr_t *base)
{
    struct link_map *plugin;
    void *symbol;
    void *(*entry)(void);

    strcpy(strrchr(path, '/'), name);
    plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(plugin != NULL);
    symbol = dlsym(plugin, "plugin_block");
    REQUIRE(symbol != NULL);
    memcpy(&entry, &symbol, sizeof entry);
    for (int i = 0; i < ROUNDS; i++)
        REQUIRE(entry() != NULL);
    *base = plugin->l_addr;
    REQUIRE(close_unseen(plugin) == 0);
    return (uintptr_t)plugin;
}

int main(int argc, char **argv)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), *symbol;
    uintptr_t first, second, first_base, second_base;

    (void)argc;
    REQUIRE(strlen(argv[0]) < sizeof path - 20);
    strcpy(path, argv[0]);
    REQUIRE(libc != NULL);
    symbol = dlsym(libc, "dlclose");
    REQUIRE(symbol != NULL);
    memcpy(&close_unseen, &symbol, sizeof close_unseen);
    first = call("/plugin_early.so", &first_base);
    second = call("/plugin_late1.so", &second_base);
    REQUIRE(first_base == second_base);
    REQUIRE(first == second);
    return 0;
}
