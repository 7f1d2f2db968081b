/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_info.h - which unit and which function of a module hold an address, and
 * what was inlined there
 *
 * libdwfl answers from .debug_aranges, which clang does not write: without it
 * units are found in a table of their own. libdw walks all of a unit for every
 * address; a unit may hold thousands of functions, and a report ask for
 * thousands of addresses. So both tables are made when they are first needed.
 */
#ifndef TALLY_TOOL_SYMBOLS_DEBUG_INFO_H
#define TALLY_TOOL_SYMBOLS_DEBUG_INFO_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>

struct debug_info;

enum { SCOPE_DEPTH_LIMIT = 64 };

/* NULL without debug information. The module must outlive it. */
struct debug_info *debug_info_create(Dwfl_Module *module);
void debug_info_destroy(struct debug_info *info);

/*
 * The unit that holds an address, as libdwfl counts; what the debug
 * information's own addresses are less is put into `*bias`.
 */
bool debug_info_find_unit(struct debug_info *info, GElf_Addr address,
                          Dwarf_Die *unit, Dwarf_Addr *bias);

/*
 * The function of `unit` at `address`, as the debug information counts, and
 * behind it what was inlined there, outermost first: how many; 0 for none.
 */
size_t debug_info_find_scopes(struct debug_info *info, Dwarf_Die *unit,
                              Dwarf_Addr address,
                              Dwarf_Die scopes[SCOPE_DEPTH_LIMIT]);

#endif /* TALLY_TOOL_SYMBOLS_DEBUG_INFO_H */
