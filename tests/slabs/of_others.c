/* SPDX-License-Identifier: Apache-2.0 */
/*
 * of_others.c - a program without slabs, with a library that has some
 *
 * It knows nothing of Tally. Slabs of its libraries exist to its end, except
 * those of LIBRARY, which it unloads; ANOTHER stays loaded.
 *
 * usage: of_others LIBRARY ANOTHER
 */
#include <dlfcn.h>

int use_library(void);

int main(int argc, char **argv)
{
    void *another = argc == 3 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : 0;
    void *library = another == 0 ? 0 : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);

    return library == 0 || dlclose(library) != 0 || use_library() != 0;
}
