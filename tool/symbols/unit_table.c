/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_table.c - which compilation unit of a module an address belongs to
 *
 * One row for each range of each unit, sorted by begin; ranges of code do not
 * overlap in a linked file, so the last that begins before an address decides.
 */
#include "tool/symbols/unit_table.h"

#include <elfutils/libdw.h>
#include <stdlib.h>

#include "tool/tables/array.h"

struct unit_range {
    Dwarf_Addr start;
    Dwarf_Addr end;
    Dwarf_Off unit; /* offset of its DIE */
};

struct unit_table {
    Dwarf *dwarf;
    struct unit_range *ranges;
    size_t range_count;
};

static int compare_ranges(const void *left, const void *right)
{
    const struct unit_range *a = left;
    const struct unit_range *b = right;

    return (a->start > b->start) - (a->start < b->start);
}

static int add_range(struct unit_table *table, Dwarf_Addr start, Dwarf_Addr end,
                     Dwarf_Off unit)
{
    struct unit_range *ranges =
        array_grow(table->ranges, table->range_count, sizeof *ranges);

    if (ranges == NULL)
        return -1;
    table->ranges = ranges;
    table->ranges[table->range_count++] =
        (struct unit_range){ start, end, unit };
    return 0;
}

static int add_unit(struct unit_table *table, Dwarf_Die *unit)
{
    ptrdiff_t offset = 0;
    Dwarf_Addr base;
    Dwarf_Addr start;
    Dwarf_Addr end;

    while ((offset = dwarf_ranges(unit, offset, &base, &start, &end)) > 0) {
        if (add_range(table, start, end, dwarf_dieoffset(unit)) < 0)
            return -1;
    }
    return 0;
}

struct unit_table *unit_table_create(Dwfl_Module *module)
{
    struct unit_table *table = calloc(1, sizeof *table);
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = NULL;

    if (table == NULL)
        return NULL;
    table->dwarf = dwfl_module_getdwarf(module, &bias);
    while (table->dwarf != NULL &&
           (unit = dwfl_module_nextcu(module, unit, &bias)) != NULL) {
        if (add_unit(table, unit) < 0) {
            unit_table_destroy(table);
            return NULL;
        }
    }
    if (table->range_count > 0)
        qsort(table->ranges, table->range_count, sizeof *table->ranges,
              compare_ranges);
    return table;
}

void unit_table_destroy(struct unit_table *table)
{
    if (table == NULL)
        return;
    free(table->ranges);
    free(table);
}

bool unit_table_find(const struct unit_table *table, uint64_t address,
                     Dwarf_Die *unit)
{
    size_t low = 0;
    size_t high = table->range_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (table->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < table->ranges[low - 1].end &&
           dwarf_offdie(table->dwarf, table->ranges[low - 1].unit, unit) !=
               NULL;
}
