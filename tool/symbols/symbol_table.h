/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_table.h - the functions of one module, sorted by address
 *
 * libdwfl looks at every symbol for every address; a report asks for thousands.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

struct symbol_table;

struct symbol_match {
    const char *name;  /* as in the file; lives as long as the module */
    uint64_t distance; /* from the symbol's begin */
    bool is_certain;   /* the symbol's extent holds the address */
    bool is_global;    /* other files see it */
};

/* The module must outlive the table. */
struct symbol_table *symbol_table_create(Dwfl_Module *module);
void symbol_table_destroy(struct symbol_table *table);

/*
 * The symbol that holds `address` (as libdwfl counts), else the nearest one
 * before it in the same section, if nothing says where that ends. Returns false
 * when there is neither: in a stripped file, behind the end of a function that
 * has a name comes one that has none.
 */
bool symbol_table_find(const struct symbol_table *table, uint64_t address,
                       struct symbol_match *match);

/* Whether `address` lies in a procedure linkage table. */
bool symbol_table_is_linkage(const struct symbol_table *table,
                             uint64_t address);
