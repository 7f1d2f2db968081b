/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_files.h - loaded ELF files, and symbols in them
 *
 * glibc 2.35 and later find a file without a lock, by _dl_find_object();
 * earlier ones by dl_iterate_phdr(), under the loader's recursive lock and no
 * lock of Tally.
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loaded_file {
    /* [start, end) contains all segments, or one if the executable has gaps. */
    uintptr_t start, end;
    uintptr_t bias;            /* run-time address minus address in the file */
    const char *name;          /* owned by the loader; "" for the executable */
    const void *entry;         /* in the loader's list; NULL: unknown */
    uintptr_t eh_frame_header; /* its .eh_frame_hdr; 0: none */
};

/* Prepare the other functions; may be called again. */
void loaded_files_open(void);

/* Find the file that contains `address`; return false if there is none. */
bool loaded_files_find(uintptr_t address, struct loaded_file *file);

/* Return the program headers of a file; NULL if its first page lacks them. */
const ElfW(Phdr) *
    loaded_files_headers(const struct loaded_file *file, size_t *count);

/* Find the readable segment of a file that contains `address`. */
bool loaded_files_segment(const struct loaded_file *file, uintptr_t address,
                          uintptr_t *start, uintptr_t *end);

/*
 * Find symbols without dlsym().
 *
 * If dlsym() finds nothing, it allocates a message, by the program's own
 * malloc, which may not be ready yet; and it overwrites an error that the
 * program has not read by dlerror(). These functions read the files' symbol
 * tables. Any thread; they do not allocate; they run under the loader's
 * recursive lock and no lock of Tally. In libc, the default version of a symbol
 * is found, as by dlsym().
 */
enum { LOADED_SYMBOLS_LIMIT = 64 };

struct loaded_symbol {
    const char *name;
    /* Address of a pointer; unchanged if there is no definition. */
    void *slot;
};

/*
 * Find the first definition of each symbol, up to LOADED_SYMBOLS_LIMIT, in the
 * files after the one with the dynamic section `own`; NULL: in all files, in
 * load order: executable, preloaded files, the rest. `is_wanted` selects files;
 * or NULL.
 */
void loaded_symbols_find_all(const struct loaded_symbol *symbols, size_t count,
                             const void *own,
                             bool (*is_wanted)(const char *path));

/* Return the first definition in any file, or in one whose path is wanted; or
   NULL. */
void *loaded_symbols_find(const char *name);
void *loaded_symbols_among(const char *name,
                           bool (*is_wanted)(const char *path));

/* Return true for glibc's libraries and its loader. */
bool loaded_files_is_libcs(const char *path);

/* Find definitions in glibc's libraries without a lock; they are never
   unloaded. */
void loaded_symbols_of_libc(const struct loaded_symbol *symbols, size_t count);
