/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.h - functions, source lines and variables by address
 */
#pragma once

#include <elfutils/libdwfl.h>

#include "tool/tables/tables.h"

/* Turn linker names into source names */

/* Argument types at the end of C++ names. */
enum demangle_arguments {
    DEMANGLE_WITHOUT_ARGUMENTS,
    DEMANGLE_WITH_ARGUMENTS,
};

/* Names of a function. The caller frees both texts. */
struct function_name {
    char *whole;
    char *short_name; /* qualified name without types of parameters, arguments
                         of libraries' templates and ABI tags; NULL: `whole` */
    bool is_standard; /* in the standard library of C++ or Rust */
};

/*
 * Return the names of a function, demangled if they are of C++ or Rust, without
 * the version behind an '@'. A name that is too long, or whose text would be,
 * is returned as it is.
 */
struct function_name demangle_function(const char *name,
                                       enum demangle_arguments arguments);

/* Return the linkage name of a function in debug information if it is one of
   C++ or Rust, else NULL. */
const char *die_linkage_name(Dwarf_Die *function);

/* Return the declaration of an inlined or defined function. */
Dwarf_Die die_declaration(Dwarf_Die function);

/* Entries whose children were looked for. Begins as { 0 } with the arena of its
   table. */
struct die_parents {
    struct die_children *items;
    size_t count;
    struct index_table table;
};

/* Return the names of a function that has no linkage name, qualified by the
   scopes of its declaration. */
struct function_name die_function_name(struct die_parents *parents,
                                       Dwarf_Die *declaration);

/* Return true if a namespace is of the C++ standard library. */
bool scope_is_standard(const char *scope, size_t length);

/* Return the whole name alone. */
char *demangle(const char *name, enum demangle_arguments arguments);

/* Like demangle(), with "+0x1c" appended for a nonzero offset. */
char *demangle_at(const char *name, uint64_t offset,
                  enum demangle_arguments arguments);

/*
 * Identify ELF files, and find variables by address
 *
 * Files may have 32 or 64 bits and be of any machine, such as firmware, where
 * slabs, heaps, threads and stacks are variables.
 */

enum { ELF_BUILD_ID_CAPACITY = 64 };

/* Identity of a file, its address range, and its form of return addresses. */
struct elf_identity {
    uint8_t build_id[ELF_BUILD_ID_CAPACITY];
    size_t build_id_size; /* 0: none */
    bool is_fixed;        /* not ET_DYN: addresses are as linked */
    bool is_program;      /* ET_EXEC: runs at its linked addresses */
    bool has_thumb;       /* clear bit 0 of return addresses */
    bool is_32_bit;
    uint64_t low, high; /* address range of its segments */
};

/* Return 0, or -1 with a static reason in `why`. */
int elf_identity_read(const char *path, struct elf_identity *identity,
                      const char **why);

/* Name of a variable or function, in a table sorted by address. */
struct address_name {
    uint64_t address;
    uint64_t size;
    const char *name;
    int merit; /* higher is better among names of one address */
};

/* Compare for qsort(): by address, the best name last. */
int address_name_compare(const void *left, const void *right);

/* Variables of a file. Callers use the first two members only. */
struct object_names {
    struct arena *arena; /* of all */
    struct elf_identity identity;
    uint64_t ram_bytes; /* bytes of all variables */
    struct address_name *entries;
    size_t entry_count;
    struct elf_extent *ram; /* writable sections that do not lie in flash */
    size_t ram_count;
};

struct object_name {
    const char *name; /* valid as long as the struct object_names */
    uint64_t offset;  /* offset of the address in the variable */
};

/*
 * Open the file's variables. Return NULL with a static reason in `why`; a file
 * without symbols has no names, which is no failure.
 */
struct object_names *object_names_open(const char *path, const char **why);
void object_names_close(struct object_names *names);

/* Find the variable that contains `address`, as linked. */
bool object_names_find(const struct object_names *names, uint64_t address,
                       struct object_name *name);

/* Return true if the address lies in a section of variables. */
bool object_names_is_ram(const struct object_names *names, uint64_t address);

/*
 * The functions of one module, sorted by address
 *
 * libdwfl scans all symbols for each address; a report asks for thousands.
 */

struct symbol_table;

struct symbol_match {
    const char *name;  /* as in the file; valid as long as the module */
    uint64_t distance; /* bytes from the symbol's start */
    bool is_certain;   /* the symbol's extent contains the address */
    bool is_global;    /* global binding */
};

/* Create the table of a module, which must outlive it. */
struct symbol_table *symbol_table_create(struct arena *arena,
                                         Dwfl_Module *module);

/* Return the number of functions with a name. */
size_t symbol_table_count(const struct symbol_table *table);

/* Return true if the module links the library of this base name. */
bool symbol_table_needs(const struct symbol_table *table, const char *library);

/*
 * Find the symbol that contains `address` (as libdwfl counts), else the
 * nearest one before it in the same section if its size is unknown. Return
 * false if there is neither: in a stripped file an unnamed function may follow
 * the end of a named one.
 */
bool symbol_table_find(const struct symbol_table *table, uint64_t address,
                       struct symbol_match *match);

/* Return true if `address` lies in a procedure linkage table. */
bool symbol_table_is_linkage(const struct symbol_table *table,
                             uint64_t address);

/* The package that has a file's debug symbols */

enum { DEBIAN_PACKAGE_SIZE = 128 };

/*
 * Find the likely name of the package, such as "libc6-dbg" or "perl-base-
 * dbgsym", in dpkg's lists. Return false on other systems and for a file of no
 * package.
 */
bool debian_package_find(const char *path, char name[DEBIAN_PACKAGE_SIZE]);

/*
 * Fetch files from servers, by build-id
 *
 * elfutils itself asks servers for debug information, but only of local files.
 * Its client library is used if it is installed.
 */

/* Have requests of a client, or NULL, end once a signal that is held back
   came. */
void debuginfod_watch(void *client);

/*
 * Open the file with that build-id from debuginfod's cache or a server in
 * DEBUGINFOD_URLS; return -1 on failure.
 */
int debuginfod_open(const uint8_t *build_id, size_t size);

/*
 * Turn addresses into functions, files and lines
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

/* Permission to fetch files and their debug information from debuginfod. */
enum symbols_network {
    SYMBOLS_OFFLINE,
    SYMBOLS_DEBUGINFOD,
};

/* Call site; NULL or 0 if unknown. Strings are valid as long as the struct
   symbols. */
struct symbol {
    const char *function;   /* "name+0x1a" if the nearest symbol is a guess */
    const char *short_name; /* as in struct function_name */
    const char *file;
    unsigned line;
    bool is_standard;    /* in the standard library of its language */
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
 * Create a lookup; `search` NULL: all zero. Without debuginfod,
 * DEBUGINFOD_URLS is removed from the environment, because libdwfl would use
 * it.
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
 * Look up the call that returns to `place`, an address as in the module's
 * file. Return false and an empty symbol if nothing is known.
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

/* Return the first file with debug information of the module that was needed
   and is missing, or NULL. */
const char *symbols_unread(const struct symbols *symbols, int module);

/* Return true if the module, in which an address was looked up, names at least
   100 functions: calls without a name are internal to one of those. */
bool symbols_has_interface(const struct symbols *symbols, int module);

/* Return true if a module, in which an address was looked up, links a library;
   false for numbers of no module. */
bool symbols_need(const struct symbols *symbols, size_t module, size_t library);

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

/*
 * Files that libdw opens, made readable for it
 */

/* Unit whose debug information lies in another file (-gsplit-dwarf). */
struct split_unit {
    const char *program; /* path here */
    uint64_t id;
};

/* From true to false, have libraries of this thread open regular files only,
   without sections that zstd compressed. */
void debug_files_replace(bool is_on);

/* Look for that unit if its file is missing; NULL: for none. */
void debug_files_look_for(const struct split_unit *unit);

/* Return a file without sections that zstd compressed: `file`, or a copy in
   place of it. */
int debug_file_unpacked(int file);
