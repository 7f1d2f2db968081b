/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.h - arrays that grow one item at a time, and are searched when sorted
 *
 *     items = array_grow(list->items, list->count, sizeof *items);
 *     if (items == NULL) return -1;
 *     list->items = items;
 *     items[list->count++] = item;
 */
#ifndef TALLY_TOOL_MODEL_ARRAY_H
#define TALLY_TOOL_MODEL_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * `array`, of `count` items, with room for one more: it doubles at each power
 * of two. NULL without memory, and then it is as it was.
 */
static inline void *array_grow(void *array, size_t count, size_t item_size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return reallocarray(array, count == 0 ? 1 : count * 2, item_size);
}

/* Order by the uint64_t that items begin with, for qsort(). */
static inline int array_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Of items in that order, how many begin with at most `number`. */
static inline size_t array_count_until(const void *array, size_t count,
                                       size_t item_size, uint64_t number)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (*(const uint64_t *)((const char *)array + middle * item_size) <=
            number)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

#endif /* TALLY_TOOL_MODEL_ARRAY_H */
