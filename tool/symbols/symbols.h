/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.h - turn addresses into functions, files and lines
 *
 * Names come from ELF files on disk and their separate debug files, and only
 * from the file that was loaded: if the build-id differs, addresses stay
 * unnamed. Modules are opened on first use.
 *
 *     struct symbols *symbols = symbols_create(NULL, DEMANGLE_WITH_ARGUMENTS);
 *     int module = symbols_add_module(symbols, path, build_id, size);
 *     struct symbol symbol;
 *
 *     if (symbols_find(symbols, module, place, &symbol))
 *         show(symbol.function, symbol.file, symbol.line);
 *     symbols_destroy(symbols);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/symbols/demangle.h"

/* Permission to fetch files and their debug information from debuginfod. */
enum symbols_network {
    SYMBOLS_OFFLINE,
    SYMBOLS_DEBUGINFOD,
};

/* Call site; NULL or 0 if unknown. Strings are valid as long as the struct
   symbols. */
struct symbol {
    const char *function; /* "name+0x1a" if the nearest symbol is a guess */
    const char *file;
    unsigned line;
    bool returns_memory; /* returns a pointer to void or writable bytes */
};

struct symbols;

/* Search rules for files; starts as { 0 }. */
struct symbols_search {
    enum symbols_network network;
    const char *sysroot;   /* root of all paths; NULL: this machine */
    struct symbols **kept; /* used again from one profile to the next, as long
                              as modules stay; the caller's. NULL: never */
};

/* Reasons for missing names. */
enum symbols_lack {
    SYMBOLS_LACK_NOTHING,
    SYMBOLS_LACK_FILE,    /* no file */
    SYMBOLS_LACK_SAME,    /* the build-id differs */
    SYMBOLS_LACK_SYMBOLS, /* stripped, without a debug file */
};

/*
 * Create a lookup; `search` NULL: all zero. Without debuginfod, DEBUGINFOD_URLS
 * is removed from the environment, because libdwfl would use it.
 */
struct symbols *symbols_create(const struct symbols_search *search,
                               enum demangle_arguments arguments);
void symbols_destroy(struct symbols *symbols);

/* Close all files until a new address is looked up: libdw may keep much more of
   them in memory than all answers take. */
void symbols_rest(struct symbols *symbols);

/* Add a module, and return its number, in order from 0. Arguments are copied;
   build-id `size` 0: none. */
int symbols_add_module(struct symbols *symbols, const char *path,
                       const uint8_t *build_id, size_t size);

/* Add the module with that number unless it exists. Return false if a different
   module has the number. */
bool symbols_keep_module(struct symbols *symbols, size_t number,
                         const char *path, const uint8_t *build_id,
                         size_t size);

/*
 * Look up the call that returns to `place`, an address as in the module's file.
 * Return false and an empty symbol if nothing is known.
 */
bool symbols_find(struct symbols *symbols, int module, uint64_t place,
                  struct symbol *symbol);

enum { SYMBOLS_CHAIN_LIMIT = 64 };

/*
 * Look up the call with all inlined functions, innermost first; each but the
 * first has the line of its call to the one before. Return the count, 0 if
 * nothing is known.
 */
size_t symbols_find_chain(struct symbols *symbols, int module, uint64_t place,
                          struct symbol chain[SYMBOLS_CHAIN_LIMIT]);

/* Return true if the text matches the glob. */
typedef bool symbols_like_fn(const char *glob, const char *text);

/* Return true if a function or a source file (also followed by ":") in a symbol
   table of any module matches the glob. */
bool symbols_have(struct symbols *symbols, symbols_like_fn *is_like,
                  const char *glob);

/* Return the reason for missing names of a module in which an address was
   looked up. */
enum symbols_lack symbols_lack(const struct symbols *symbols, int module);

/*
 * Return true if the file's unwind tables do not cover `place`, which was
 * looked up.
 */
bool symbols_lacks_caller(const struct symbols *symbols, int module,
                          uint64_t place);

/*
 * Return the modification time of the file with the names, in ns since 1970; 0
 * if its build-id matched, below a sysroot, and without names.
 */
uint64_t symbols_changed_ns(const struct symbols *symbols, int module);
