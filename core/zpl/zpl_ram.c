/* SPDX-License-Identifier: Apache-2.0 */
/* zpl_ram.c - keep a stream of ZPL events in memory for a debugger */
#include "tally/zpl_ram.h"

#include <string.h>

struct tally_zpl_ram tally_zpl_ram;

static bool take(void *context, const void *bytes, size_t size)
{
    struct tally_zpl_ram *ram = context;

    if (size > ram->capacity - ram->size) {
        ram->refused++;
        return false;
    }
    memcpy(ram->bytes + ram->size, bytes, size);
    /* A debugger may look at any time: store the size last. */
    __atomic_store_n(&ram->size, ram->size + (uint32_t)size, __ATOMIC_RELEASE);
    return true;
}

struct tally_zpl_sink tally_zpl_ram_open(void *bytes, uint32_t capacity)
{
    tally_zpl_ram = (struct tally_zpl_ram){ bytes, capacity, 0, 0 };
    return (struct tally_zpl_sink){ take, &tally_zpl_ram };
}
