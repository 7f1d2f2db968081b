/* SPDX-License-Identifier: Apache-2.0 */
/*
 * given_names.h - names of places that come with their source
 *
 * A file that was merged from many machines has names without their programs.
 */
#pragma once

#include "tool/symbols/symbols.h"
#include "tool/tables/tables.h"

struct given_place {
    uint64_t address; /* in the module's file */
    uint64_t module;  /* index in the profile's modules */
    size_t count;
    struct symbol *chain; /* innermost first */
};

struct given_names {
    struct given_place *places;
    size_t count;
    struct index_table table; /* private, in the profile's arena */
    struct text_pool texts;   /* of the symbols */
};

/* Name a place, unless it has a name; texts are copied. */
void given_names_add(struct given_names *names, uint32_t module,
                     uint64_t address, const struct symbol *chain,
                     size_t count);

/* Return the names of a place, or NULL. */
const struct given_place *given_names_find(const struct given_names *names,
                                           uint32_t module, uint64_t address);
