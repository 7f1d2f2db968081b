/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.h - arrays that grow one item at a time
 *
 *     items = array_grow(list->items, list->count, sizeof *items);
 *     if (items == NULL) return -1;
 *     list->items = items;
 *     items[list->count++] = item;
 */
#ifndef TALLY_TOOL_MODEL_ARRAY_H
#define TALLY_TOOL_MODEL_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/*
 * `array`, of `count` items, with room for one more: it doubles at each power of
 * two. NULL without memory, and then it is as it was.
 */
static inline void *array_grow(void *array, size_t count, size_t item_size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return reallocarray(array, count == 0 ? 1 : count * 2, item_size);
}

#endif /* TALLY_TOOL_MODEL_ARRAY_H */
