/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.h - addresses to functions, files and lines
 *
 * Knows ELF files on this machine's disk and their separate debug files, and
 * gives a name only from the very file that was loaded: if the build-id
 * differs, the address stays an address. Modules are opened when first asked.
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

/* Whether files, and their debug information, may come from debuginfod
   servers. */
enum symbols_network {
    SYMBOLS_OFFLINE,
    SYMBOLS_DEBUGINFOD,
};

/* NULL or 0 where unknown; strings live as long as the struct symbols. */
struct symbol {
    const char *function; /* "name+0x1a" if the nearest symbol is a guess */
    const char *file;
    unsigned line;
    bool returns_memory; /* as debug information says: a pointer to void, or to
                            bytes that may be written */
};

struct symbols;

/* Where files are looked for; begins as { 0 }. */
struct symbols_search {
    enum symbols_network network;
    const char *sysroot;   /* all paths are below it; NULL: this machine */
    struct symbols **kept; /* used again from one profile to the next, as long
                              as modules stay; the caller's. NULL: never */
};

/* Why a module has no names. */
enum symbols_lack {
    SYMBOLS_LACK_NOTHING,
    SYMBOLS_LACK_FILE,    /* it is not there */
    SYMBOLS_LACK_SAME,    /* another file is there: the build-id differs */
    SYMBOLS_LACK_SYMBOLS, /* it is stripped, and has no debug file */
};

/*
 * `search` NULL: all of it zero. Offline, DEBUGINFOD_URLS
 * is removed from our own environment, for libdwfl would heed it.
 */
struct symbols *symbols_create(const struct symbols_search *search,
                               enum demangle_arguments arguments);
void symbols_destroy(struct symbols *symbols);

/* Close all files until a place is asked for that was not asked for before:
   what libdw keeps of them may be more than all that is found there. */
void symbols_rest(struct symbols *symbols);

/* The module's number: from 0, in order. Copies what it needs. A module of
   `size` 0 has no build-id. */
int symbols_add_module(struct symbols *symbols, const char *path,
                       const uint8_t *build_id, size_t size);

/* The same for number `number`, unless it is added already; false: as another
   one. */
bool symbols_keep_module(struct symbols *symbols, size_t number,
                         const char *path, const uint8_t *build_id,
                         size_t size);

/*
 * Look up the call that returns to `place`, an address as in the module's file.
 * Returns false when nothing is known, with the symbol empty.
 */
bool symbols_find(struct symbols *symbols, int module, uint64_t place,
                  struct symbol *symbol);

enum { SYMBOLS_CHAIN_LIMIT = 64 };

/*
 * Likewise with all functions that were inlined there, innermost first, each
 * but the first at the line that it calls the one before from. How many; 0 when
 * nothing is known.
 */
size_t symbols_find_chain(struct symbols *symbols, int module, uint64_t place,
                          struct symbol chain[SYMBOLS_CHAIN_LIMIT]);

/* Whether a text is like a glob. */
typedef bool symbols_like_fn(const char *glob, const char *text);

/* Whether a function, or a file of source, also with ":" behind it, is, in the
   symbol table of any module. */
bool symbols_have(struct symbols *symbols, symbols_like_fn *is_like,
                  const char *glob);

/* What a module lacks that was asked for a place. */
enum symbols_lack symbols_lack(const struct symbols *symbols, int module);

/*
 * Whether the code that returns to `place`, which was asked for, is in no table
 * of its file that says how to find its caller.
 */
bool symbols_lacks_caller(const struct symbols *symbols, int module,
                          uint64_t place);

/*
 * When the file that names come from was last changed, in nanoseconds since
 * 1970; 0 if a build-id says that it is the right one, below a sysroot, and
 * without names.
 */
uint64_t symbols_changed_ns(const struct symbols *symbols, int module);
