/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin_rounds.c - a plugin that is loaded and unloaded 1,000 times
 *
 * It leaks a block each time. While it is loaded at the same address it keeps
 * its rows: the ledger does not grow with time.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { ROUNDS = 1000 };

int main(int argc, char **argv)
{
    char path[4096];
    char *slash;

    (void)argc;
    REQUIRE(strlen(argv[0]) < sizeof path - 20);
    strcpy(path, argv[0]);
    slash = strrchr(path, '/');
    REQUIRE(slash != NULL);
    strcpy(slash, "/plugin_one.so");
    for (int i = 0; i < ROUNDS; i++) {
        void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        void *(*entry)(void);
        void *symbol;

        REQUIRE(plugin != NULL);
        symbol = dlsym(plugin, "plugin_block");
        REQUIRE(symbol != NULL);
        memcpy(&entry, &symbol, sizeof entry);
        REQUIRE(entry() != NULL);
        REQUIRE(dlclose(plugin) == 0);
        REQUIRE(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
    }
    return 0;
}
