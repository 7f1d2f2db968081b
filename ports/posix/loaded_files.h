/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_files.h - the loaded ELF files, as the loader knows them
 *
 * _dl_find_object (glibc 2.35) answers without a lock; before that,
 * dl_iterate_phdr does, under the loader's own recursive lock and none of ours.
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loaded_file {
    /* [start, end) has all segments; one where the executable has holes. */
    uintptr_t start, end;
    uintptr_t bias;            /* run-time address minus address in the file */
    const char *name;          /* the loader's; "" for the executable */
    const void *entry;         /* of the loader's list; NULL: not known */
    uintptr_t eh_frame_header; /* its .eh_frame_hdr; 0: none */
};

/* Find what libc offers; any number of times. */
void loaded_files_open(void);

/* The file that `address` lies in. False: in none. */
bool loaded_files_find(uintptr_t address, struct loaded_file *file);

/* The program headers of a file; NULL: its first page does not have them. */
const ElfW(Phdr) *
    loaded_files_headers(const struct loaded_file *file, size_t *count);

/* The segment of a file that `address` lies in, and can be read. */
bool loaded_files_segment(const struct loaded_file *file, uintptr_t address,
                          uintptr_t *start, uintptr_t *end);

/*
 * What they define, without dlsym.
 *
 * A dlsym that finds nothing has its message allocated, by the program's own
 * malloc if it brings one, which may not be fit for that yet; and it takes away
 * an error that the program has not asked dlerror for. Here the files' own
 * tables are read. Any thread; nothing is allocated; under the loader's own
 * recursive lock and none of ours. What is found in libc is the definition of
 * the default version, as by dlsym.
 */
enum { LOADED_SYMBOLS_LIMIT = 64 };

struct loaded_symbol {
    const char *name;
    /* Of a pointer; it stays as it is where there is no definition. */
    void *slot;
};

/*
 * The first definition of each, up to LOADED_SYMBOLS_LIMIT, behind the file
 * whose dynamic section is `own`; NULL: in all, in the order of loading: the
 * executable, what is preloaded, the rest. `is_wanted` chooses files; or NULL.
 */
void loaded_symbols_find_all(const struct loaded_symbol *symbols, size_t count,
                             const void *own,
                             bool (*is_wanted)(const char *path));

/* The first definition in any file, or in one whose path is wanted; or NULL. */
void *loaded_symbols_find(const char *name);
void *loaded_symbols_among(const char *name,
                           bool (*is_wanted)(const char *path));

/* Return true for glibc's libraries and its loader. */
bool loaded_files_is_libcs(const char *path);

/* Find their definitions without a lock: no file is unloaded meanwhile. */
void loaded_symbols_of_libc(const struct loaded_symbol *symbols, size_t count);
