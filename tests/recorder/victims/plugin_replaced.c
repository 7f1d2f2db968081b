/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin_replaced.c - a plugin whose file is replaced by another of the same
 * layout
 *
 * Name and address stay the same; only the build-id differs. Allocations of the
 * new file must not be added to rows of the old one.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sendfile.h>

#include "tests/recorder/victims/victim.h"

enum { ROUNDS = 20 };

static char path[4096];

static void install(const char *name)
{
    int from, to;

    strcpy(strrchr(path, '/'), name);
    unlink("./plugin.so");
    from = open(path, O_RDONLY);
    to = open("./plugin.so", O_WRONLY | O_CREAT | O_EXCL, 0755);
    REQUIRE(from >= 0 && to >= 0);
    while (sendfile(to, from, NULL, 1 << 20) > 0)
        ;
    close(from);
    close(to);
}

static void *call(const char *name)
{
    void *plugin, *symbol;
    void *(*entry)(void);

    install(name);
    plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
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
