/* SPDX-License-Identifier: Apache-2.0 */
/* unload_plugin.c - a shared object that allocates for others */
#include "tally/malloc.h"

void *plugin_take(size_t size);
void *plugin_never(size_t size);

void *plugin_take(size_t size)
{
    /*
     * The line is asserted.
     */

    return malloc(size);
}

void *plugin_never(size_t size)
{
    return calloc(1, size);
}
