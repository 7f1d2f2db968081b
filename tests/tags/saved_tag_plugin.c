/* SPDX-License-Identifier: Apache-2.0 */
/* saved_tag_plugin.c - a shared object that creates a table */
#include "tests/tags/saved_tag.h"

TALLY_BEGIN_DECLS
void *plugin_create(struct table *table, size_t size);

void *plugin_create(struct table *table, size_t size)
{
    table_init(table); /* the line is asserted */
    return size == 0 ? NULL : malloc(size);
}
TALLY_END_DECLS
