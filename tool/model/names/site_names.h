/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_names.h - names of the sites of a profile
 *
 *     struct site_names *names = site_names_create(profile, NULL,
 *                                                  DEMANGLE_WITH_ARGUMENTS);
 *
 *     print(names->sites[i].function); // of profile->callers[i]
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/text_after.h" /* base_name() */
#include "tool/model/profile/profile.h"
#include "tool/symbols/symbols.h"

struct site_name {
    const char *function; /* NULL unknown */
    const char *file;     /* NULL unknown */
    uint64_t line;
    const char *module; /* path; NULL unknown, or built in */
};

struct site_names {
    struct site_name *sites;
    size_t unresolved; /* addresses without a function */
    struct symbols *symbols;
};

/* Name every site, as symbols_create() finds names. They live as long as the
   profile. */
struct site_names *site_names_create(const struct profile *profile,
                                     const struct symbols_search *search,
                                     enum demangle_arguments arguments);

/* Return the symbols of the profile's modules: `search->kept`, updated for the
   profile, or new ones. */
struct symbols *site_names_symbols(const struct profile *profile,
                                   const struct symbols_search *search,
                                   enum demangle_arguments arguments);

/* Like symbols_find_chain(), but prefer names that the source has. */
size_t site_names_chain(struct symbols *symbols, const struct profile *profile,
                        const struct profile_place *place,
                        struct symbol chain[SYMBOLS_CHAIN_LIMIT]);

/* Return the function or, if it is unknown, MODULE+0xADDRESS; the caller frees
   it. */
char *site_label(const struct profile_site *site, const struct site_name *name);

/* Return the file, else the path of the module, else "unknown". */
const char *site_file(const struct site_name *name);

/* Return the base name of the module, or "unknown"; NULL if the site is built
   in, or in the executable. */
const char *site_module(const struct profile *profile,
                        const struct profile_site *site,
                        const struct site_name *name);

/*
 * Return true if the module's file may be another one by now: it has no
 * build-id, and changed after all processes of the profile had ended.
 */
bool site_names_may_be_wrong(const struct site_names *names,
                             const struct profile *profile, size_t module);

/* Return "FILE:LINE", or "FILE" if the line is 0; the caller frees it. */
char *site_line(const char *file, uint64_t line);

/*
 * Name slabs and heaps without a name after the variables that they are, like
 * trace_names.h. Find files below `sysroot` unless it is NULL. Ignore a file
 * whose build-id is not that of the loaded one.
 */
void region_names_find(struct profile *profile, const char *sysroot);
