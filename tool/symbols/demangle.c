/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.c - turn linker names into source names
 *
 * libiberty's demangler is plain C; __cxa_demangle would bring in the C++
 * runtime.
 */
#include "tool/symbols/lookup.h"

#include <inttypes.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tables/tables.h"

/* Longer names are machine-made; demangling one may take for ever. */
enum { LONGEST_NAME = 8192 };

char *demangle(const char *name, enum demangle_arguments arguments)
{
    int options = DMGL_AUTO | DMGL_ANSI;
    char *copy = memory_or_exit(strndup(name, strcspn(name, "@")));
    char *demangled = NULL;

    /* Other schemes have no prefix, and would find names where there are
       none. */
    if ((strncmp(copy, "_Z", 2) != 0 && strncmp(copy, "_R", 2) != 0) ||
        strlen(copy) > LONGEST_NAME)
        return copy;
    if (arguments == DEMANGLE_WITH_ARGUMENTS)
        options |= DMGL_PARAMS;
    demangled = cplus_demangle(copy, options);
    if (demangled == NULL)
        return copy;
    free(copy);
    return demangled;
}

char *demangle_at(const char *name, uint64_t offset,
                  enum demangle_arguments arguments)
{
    char *plain = demangle(name, arguments), *longer;

    if (plain[0] == '\0' || offset == 0)
        return plain;
    longer = memory_print("%s+0x%" PRIx64, plain, offset);
    free(plain);
    return longer;
}
