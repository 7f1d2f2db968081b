/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scope_table.c - which function holds an address, and what was inlined there
 *
 * Of each unit a row for each range of each function in it, sorted by begin.
 * Functions do not overlap, so the last that begins before an address decides.
 */
#include "tool/symbols/scope_table.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tool/tables/array.h"

enum { NESTING_LIMIT = 64 }; /* of namespaces and classes, and of blocks */

struct function_range {
    Dwarf_Addr start;
    Dwarf_Addr end;
    Dwarf_Die function;
};

struct unit_functions {
    const void *unit; /* address of its DIE, which is its name for libdw */
    struct function_range *ranges;
    size_t range_count;
};

struct scope_table {
    struct unit_functions *units;
    size_t unit_count;
    size_t last; /* that was asked for */
};

struct scope_table *scope_table_create(void)
{
    return calloc(1, sizeof(struct scope_table));
}

void scope_table_destroy(struct scope_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->unit_count; i++)
        free(table->units[i].ranges);
    free(table->units);
    free(table);
}

static int add_function(struct unit_functions *functions, Dwarf_Die *function)
{
    ptrdiff_t offset = 0;
    Dwarf_Addr base, start, end;

    while ((offset = dwarf_ranges(function, offset, &base, &start, &end)) > 0) {
        struct function_range *ranges = array_grow(
            functions->ranges, functions->range_count, sizeof *ranges);

        if (ranges == NULL)
            return -1;
        functions->ranges = ranges;
        ranges[functions->range_count++] =
            (struct function_range){ start, end, *function };
    }
    return 0;
}

static bool may_hold_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_module;
}

static int add_children(struct unit_functions *functions, Dwarf_Die *parent,
                        unsigned nesting)
{
    Dwarf_Die die;

    if (nesting > NESTING_LIMIT || dwarf_child(parent, &die) != 0)
        return 0;
    do {
        int tag = dwarf_tag(&die);
        int error = 0;

        if (tag == DW_TAG_subprogram)
            error = add_function(functions, &die);
        else if (may_hold_functions(tag))
            error = add_children(functions, &die, nesting + 1);
        if (error < 0)
            return -1;
    } while (dwarf_siblingof(&die, &die) == 0);
    return 0;
}

static int compare_ranges(const void *left, const void *right)
{
    const struct function_range *a = left, *b = right;

    return (a->start > b->start) - (a->start < b->start);
}

static const struct unit_functions *functions_of(struct scope_table *table,
                                                 Dwarf_Die *unit)
{
    struct unit_functions *units = table->units;
    struct unit_functions functions = { .unit = unit->addr };

    if (table->last < table->unit_count &&
        units[table->last].unit == unit->addr)
        return &units[table->last];
    for (size_t i = 0; i < table->unit_count; i++) {
        if (units[i].unit == unit->addr) {
            table->last = i;
            return &units[i];
        }
    }
    units = array_grow(units, table->unit_count, sizeof *units);
    if (units == NULL)
        return NULL;
    table->units = units;
    if (add_children(&functions, unit, 0) < 0) {
        free(functions.ranges);
        return NULL;
    }
    if (functions.range_count > 0)
        qsort(functions.ranges, functions.range_count, sizeof *functions.ranges,
              compare_ranges);
    table->last = table->unit_count;
    units[table->unit_count++] = functions;
    return &units[table->last];
}

static const struct function_range *
find_range(const struct unit_functions *functions, Dwarf_Addr address)
{
    size_t low = 0, high = functions->range_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (functions->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < functions->ranges[low - 1].end
               ? &functions->ranges[low - 1]
               : NULL;
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

size_t scope_table_find(struct scope_table *table, Dwarf_Die *unit,
                        Dwarf_Addr address, Dwarf_Die scopes[SCOPE_DEPTH_LIMIT])
{
    const struct unit_functions *functions = functions_of(table, unit);
    const struct function_range *range =
        functions == NULL ? NULL : find_range(functions, address);
    unsigned nesting = 0;
    size_t count = 0;
    Dwarf_Die die;

    if (range == NULL)
        return 0;
    scopes[count++] = die = range->function;
    while (nesting++ < 4 * NESTING_LIMIT && step_in(&die, address)) {
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine &&
            count < SCOPE_DEPTH_LIMIT)
            scopes[count++] = die;
    }
    return count;
}
