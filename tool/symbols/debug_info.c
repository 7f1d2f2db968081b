/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_info.c - which unit and which function of a module hold an address
 *
 * Of units, and of the functions in each, a row for each range, sorted by
 * begin. Ranges of code do not overlap in a linked file, so the last that
 * begins before an address decides.
 */
#include "tool/symbols/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "tool/tables/array.h"

enum { NESTING_LIMIT = 64 }; /* of namespaces and classes, and of blocks */

struct die_range {
    Dwarf_Addr start;
    Dwarf_Addr end;
    Dwarf_Die die;
};

struct die_ranges {
    struct die_range *items;
    size_t count;
};

struct unit_functions {
    const void *unit; /* address of its DIE, which is its name for libdw */
    struct die_ranges functions;
};

struct debug_info {
    Dwfl_Module *module;
    Dwarf *dwarf;
    Dwarf_Addr bias;
    bool has_units; /* .debug_aranges did not do */
    struct die_ranges units;
    struct unit_functions *asked; /* units, for what they hold */
    size_t asked_count;
    size_t last; /* of them */
};

struct debug_info *debug_info_create(Dwfl_Module *module)
{
    Dwarf_Addr bias = 0;
    Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
    struct debug_info *info;

    if (dwarf == NULL)
        return NULL;
    info = memory_zeroed(1, sizeof *info);
    info->module = module;
    info->dwarf = dwarf;
    info->bias = bias;
    return info;
}

void debug_info_destroy(struct debug_info *info)
{
    if (info == NULL)
        return;
    for (size_t i = 0; i < info->asked_count; i++)
        free(info->asked[i].functions.items);
    free(info->asked);
    free(info->units.items);
    free(info);
}

static void add_ranges(struct die_ranges *ranges, Dwarf_Die *die)
{
    ptrdiff_t offset = 0;
    Dwarf_Addr base, start, end;

    while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0)
        ARRAY_ADD(ranges->items, ranges->count,
                  (struct die_range){ start, end, *die });
}

static void sort_ranges(struct die_ranges *ranges)
{
    if (ranges->count > 0)
        qsort(ranges->items, ranges->count, sizeof *ranges->items,
              array_compare);
}

static const struct die_range *find_range(const struct die_ranges *ranges,
                                          Dwarf_Addr address)
{
    size_t count = array_count_until(ranges->items, ranges->count,
                                     sizeof *ranges->items, address);

    return count > 0 && address < ranges->items[count - 1].end
               ? &ranges->items[count - 1]
               : NULL;
}

static void list_units(struct debug_info *info)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = NULL;

    info->has_units = true;
    while ((unit = dwfl_module_nextcu(info->module, unit, &bias)) != NULL)
        add_ranges(&info->units, unit);
    sort_ranges(&info->units);
}

/* libdwfl's own search takes what lies between two units for the first. */
bool debug_info_find_unit(struct debug_info *info, GElf_Addr address,
                          Dwarf_Die *unit, Dwarf_Addr *bias)
{
    const struct die_range *range;

    *bias = info->bias;
    if (dwarf_addrdie(info->dwarf, address - *bias, unit) != NULL)
        return true;
    if (!info->has_units)
        list_units(info);
    range = find_range(&info->units, address - *bias);
    if (range != NULL)
        *unit = range->die;
    return range != NULL;
}

static bool may_hold_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_module;
}

static void add_children(struct die_ranges *functions, Dwarf_Die *parent,
                         unsigned nesting)
{
    Dwarf_Die die;

    if (nesting > NESTING_LIMIT || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_subprogram)
            add_ranges(functions, &die);
        else if (may_hold_functions(tag))
            add_children(functions, &die, nesting + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static const struct die_ranges *functions_of(struct debug_info *info,
                                             Dwarf_Die *unit)
{
    struct unit_functions added = { .unit = unit->addr };

    if (info->last < info->asked_count &&
        info->asked[info->last].unit == unit->addr)
        return &info->asked[info->last].functions;
    for (info->last = 0; info->last < info->asked_count; info->last++) {
        if (info->asked[info->last].unit == unit->addr)
            return &info->asked[info->last].functions;
    }
    add_children(&added.functions, unit, 0);
    sort_ranges(&added.functions);
    ARRAY_ADD(info->asked, info->asked_count, added);
    return &info->asked[info->last].functions;
}

/* Step into the child that holds the address: false if there is none. */
static bool step_in(Dwarf_Die *die, Dwarf_Addr address)
{
    Dwarf_Die child;

    if (dwarf_child(die, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);

        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
             tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
            dwarf_haspc(&child, address) > 0) {
            *die = child;
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

size_t debug_info_find_scopes(struct debug_info *info, Dwarf_Die *unit,
                              Dwarf_Addr address,
                              Dwarf_Die scopes[SCOPE_DEPTH_LIMIT])
{
    const struct die_range *range =
        find_range(functions_of(info, unit), address);
    unsigned nesting = 0;
    size_t count = 0;
    Dwarf_Die die;

    if (range == NULL)
        return 0;
    scopes[count++] = die = range->die;
    while (nesting++ < 4 * NESTING_LIMIT && step_in(&die, address)) {
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine &&
            count < SCOPE_DEPTH_LIMIT)
            scopes[count++] = die;
    }
    return count;
}
