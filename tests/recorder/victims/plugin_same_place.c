/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin_same_place.c - two plugins that are loaded at one address in turn
 *
 * They have one layout, so the loader puts the second where the first was.
 * Return addresses of their calls are equal; their rows must be separate.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { ROUNDS = 50 };

static char path[4096];

static void *call(const char *name)
{
    void *plugin, *symbol;
    void *(*entry)(void);

    strcpy(strrchr(path, '/'), name);
    plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(plugin != NULL);
    symbol = dlsym(plugin, "plugin_block");
    REQUIRE(symbol != NULL);
    memcpy(&entry, &symbol, sizeof entry);
    REQUIRE(entry() != NULL);
    REQUIRE(dlclose(plugin) == 0);
    return symbol;
}

int main(int argc, char **argv)
{
    (void)argc;
    REQUIRE(strlen(argv[0]) < sizeof path - 20);
    strcpy(path, argv[0]);
    for (int i = 0; i < ROUNDS; i++)
        REQUIRE(call("/plugin_one.so") == call("/plugin_two.so"));
    return 0;
}
