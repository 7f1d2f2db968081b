/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - the event's struct is as large as the layout's bytes */
#include <stddef.h>

#include <tally/zpl.h>

static const size_t narrow[] = { 0, 22, 23, 31, 27 };
static const size_t id_offset[] = { 0, 4, 4, 12, 8 };

int main(void)
{
    const size_t wide = sizeof(uintptr_t) - 4;
    const size_t size = narrow[CONFIG_ZPL_CTF_LAYOUT] + wide;

    return sizeof(zpl_memory_event_t) != size ||
           offsetof(zpl_memory_event_t, id) !=
               id_offset[CONFIG_ZPL_CTF_LAYOUT] ||
           sizeof(enum zpl_memory_region) != 1;
}
