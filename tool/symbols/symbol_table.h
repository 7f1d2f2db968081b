/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_table.h - the functions of one module, sorted by address
 *
 * libdwfl scans all symbols for each address; a report asks for thousands.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

struct symbol_table;

struct symbol_match {
    const char *name;  /* as in the file; valid as long as the module */
    uint64_t distance; /* bytes from the symbol's start */
    bool is_certain;   /* the symbol's extent contains the address */
    bool is_global;    /* global binding */
};

/* Create the table of a module, which must outlive it. */
struct symbol_table *symbol_table_create(Dwfl_Module *module);
void symbol_table_destroy(struct symbol_table *table);

/*
 * Find the symbol that contains `address` (as libdwfl counts), else the nearest
 * one before it in the same section if its size is unknown. Return false if
 * there is neither: in a stripped file an unnamed function may follow the end
 * of a named one.
 */
bool symbol_table_find(const struct symbol_table *table, uint64_t address,
                       struct symbol_match *match);

/* Return true if `address` lies in a procedure linkage table. */
bool symbol_table_is_linkage(const struct symbol_table *table,
                             uint64_t address);
