/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_table.h - which compilation unit of a module an address belongs to
 *
 * libdwfl answers from .debug_aranges, which clang does not write. This table
 * is built from the units themselves, when it is first needed.
 */
#ifndef TALLY_TOOL_SYMBOLS_UNIT_TABLE_H
#define TALLY_TOOL_SYMBOLS_UNIT_TABLE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

struct unit_table;

/* NULL without memory or debug information. The module must outlive it. */
struct unit_table *unit_table_create(Dwfl_Module *module);
void unit_table_destroy(struct unit_table *table);

/* Whether a unit holds `address`, as the debug information counts. */
bool unit_table_find(const struct unit_table *table, uint64_t address,
                     Dwarf_Die *unit);

#endif /* TALLY_TOOL_SYMBOLS_UNIT_TABLE_H */
