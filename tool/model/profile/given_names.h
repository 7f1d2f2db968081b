/* SPDX-License-Identifier: Apache-2.0 */
/*
 * given_names.h - places that the source names itself, beside their addresses
 *
 * So a file that was put together from many machines has names where none of
 * their programs is.
 */
#pragma once

#include "tool/symbols/symbols.h"
#include "tool/tables/index_table.h"
#include "tool/tables/text_pool.h"

struct given_place {
    uint64_t address; /* as in the module's file */
    uint64_t module;  /* of the profile */
    size_t count;
    struct symbol *chain; /* innermost first */
};

struct given_names {
    struct given_place *places;
    size_t count;
    struct index_table table; /* private, in the profile's arena */
    struct text_pool texts;   /* of the symbols */
};

/* A place is named by the first who does; texts are copied. */
void given_names_add(struct given_names *names, uint32_t module,
                     uint64_t address, const struct symbol *chain,
                     size_t count);

/* NULL: it has none. */
const struct given_place *given_names_find(const struct given_names *names,
                                           uint32_t module, uint64_t address);
