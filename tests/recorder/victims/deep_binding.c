/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deep_binding.c - a plugin that binds to libc's malloc past the recorder
 *
 * Its allocations are not recorded, and a notice says so. The program frees
 * them as foreign blocks. The plugin frees ten blocks of the program: these
 * frees are missed, which shows when the addresses are handed out again.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { BLOCKS = 10 };

static void *in_main(void)
{
    return victim_keep(malloc(48));
}

int main(int argc, char **argv)
{
    char path[4096];
    void *plugin, *symbol;
    void *(*make)(void);
    void (*unmake)(void *);
    void *blocks[BLOCKS];

    (void)argc;
    REQUIRE(strlen(argv[0]) < sizeof path - 20);
    strcpy(path, argv[0]);
    strcpy(strrchr(path, '/'), "/plugin_deep.so");
    plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    REQUIRE(plugin != NULL);
    symbol = dlsym(plugin, "deep_block");
    REQUIRE(symbol != NULL);
    memcpy(&make, &symbol, sizeof make);
    symbol = dlsym(plugin, "deep_free");
    REQUIRE(symbol != NULL);
    memcpy(&unmake, &symbol, sizeof unmake);
    for (int i = 0; i < BLOCKS; i++)
        free(make());
    /* libc hands out the block that was freed last first */
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = in_main();
        unmake(blocks[i]);
        REQUIRE(in_main() == blocks[i]);
    }
    return 0;
}
