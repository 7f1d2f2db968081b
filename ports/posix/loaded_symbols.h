/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_symbols.h - what the loaded ELF files define, without dlsym
 *
 * A dlsym that finds nothing has its message allocated, by the program's own
 * malloc if it brings one, which may not be fit for that yet; and it takes away
 * an error that the program has not asked dlerror for. Here the files' own
 * tables are read. Any thread; nothing is allocated; under the loader's own
 * recursive lock and none of ours. What is found is the definition of the
 * default version, as by dlsym.
 */
#ifndef TALLY_PORTS_POSIX_LOADED_SYMBOLS_H
#define TALLY_PORTS_POSIX_LOADED_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

enum { LOADED_SYMBOLS_LIMIT = 64 };

struct loaded_symbol {
    const char *name;
    /* Of a pointer; it stays as it is where there is no definition. */
    void *slot;
};

/*
 * The first definition of each, up to LOADED_SYMBOLS_LIMIT, behind the file
 * that `own` lies in; NULL: in all files, in the order of loading: the
 * executable, what is preloaded, the rest. `is_wanted` chooses files; or NULL.
 */
void loaded_symbols_find_all(const struct loaded_symbol *symbols, size_t count,
                             const void *own,
                             bool (*is_wanted)(const char *path));

/* The first definition in any file, or in one whose path is wanted; or NULL. */
void *loaded_symbols_find(const char *name);
void *loaded_symbols_among(const char *name,
                           bool (*is_wanted)(const char *path));

#endif /* TALLY_PORTS_POSIX_LOADED_SYMBOLS_H */
