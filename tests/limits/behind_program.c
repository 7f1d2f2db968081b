/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behind_program.c - call behind(), which is defined here, linked, or loaded
 *
 *     behind_program counted|not [PLUGIN]
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

extern int behind(int is_counted) __attribute__((weak));

int main(int argc, char **argv)
{
    int is_counted = argc > 1 && strcmp(argv[1], "counted") == 0;
    int (*called)(int) = behind;

    if (called == NULL) {
        void *plugin = argc > 2 ? dlopen(argv[2], RTLD_NOW) : RTLD_DEFAULT;
        void *found = dlsym(plugin, "behind");

        memcpy(&called, &found, sizeof called);
    }
    if (called == NULL) {
        fprintf(stderr, "no behind(): %s\n", dlerror());
        return 2;
    }
    return called(is_counted);
}
