/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope_table.h - which function holds an address, and what was inlined there
 *
 * libdw walks all of a unit for every address; a unit may hold thousands of
 * functions, and a report ask for thousands of addresses. So the functions of a
 * unit are sorted when it is first asked for.
 */
#ifndef TALLY_TOOL_SYMBOLS_SCOPE_TABLE_H
#define TALLY_TOOL_SYMBOLS_SCOPE_TABLE_H

#include <elfutils/libdw.h>
#include <stddef.h>

struct scope_table;

enum { SCOPE_DEPTH_LIMIT = 64 };

/* NULL without memory. */
struct scope_table *scope_table_create(void);
void scope_table_destroy(struct scope_table *table);

/*
 * The function of `unit` at `address`, as the debug information counts, and
 * behind it what was inlined there, outermost first: how many; 0 for none, or
 * without memory.
 */
size_t scope_table_find(struct scope_table *table, Dwarf_Die *unit,
                        Dwarf_Addr address,
                        Dwarf_Die scopes[SCOPE_DEPTH_LIMIT]);

#endif /* TALLY_TOOL_SYMBOLS_SCOPE_TABLE_H */
