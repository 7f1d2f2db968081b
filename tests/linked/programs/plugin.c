/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - a shared object with a tag, for teller.c to load and unload */
#include <stddef.h>

#include "tally/alloc_tag.h"
#include "tally/tagged.h"

void *plugin_take(size_t size);

void *plugin_take(size_t size)
{
    DEFINE_ALLOC_TAG(taken);

    return tally_tag_malloc(&taken, size);
}
