/* SPDX-License-Identifier: Apache-2.0 */
/* registry_memory.c - memory for the lists of slabs and heaps */
#include "core/base/registry_memory.h"

#include <stdint.h>

#include "core/base/own_memory.h"

enum { PIECE = 16, CHUNK = __STDC_HOSTED__ ? 8192 : 0 };

void *registry_memory_take(size_t size)
{
    static struct own_memory own = OWN_MEMORY;
    static unsigned char *chunk;
    static size_t left;
    void *memory;

    if (size > SIZE_MAX - PIECE)
        return NULL;
    size = (size + PIECE - 1) & ~(size_t)(PIECE - 1);
    if (size > CHUNK / 4)
        return own_memory_alloc(&own, size);
    if (size > left) {
        memory = own_memory_alloc(&own, CHUNK);
        if (memory == NULL)
            return NULL;
        chunk = memory;
        left = CHUNK;
    }
    memory = chunk;
    chunk += size;
    left -= size;
    return memory;
}
