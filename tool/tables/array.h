/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.h - arrays that grow one item at a time, and are searched when sorted
 *
 *     ARRAY_ADD(list->items, list->count, item);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tool/tables/memory.h"

/* `array`, of `count` items, with room for one more: it doubles at each power
   of two. */
static inline void *array_grow(void *array, size_t count, size_t item_size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return memory_resized(array, count == 0 ? 1 : count * 2, item_size);
}

/* Put an item behind the others. */
#define ARRAY_ADD(array, count, ...)                          \
    ((array) = array_grow((array), (count), sizeof *(array)), \
     (array)[(count)++] = (__VA_ARGS__))

/* Even of none, whose address qsort() must not be given. */
#define ARRAY_SORT(array, count, compare)                              \
    ((count) > 0 ? qsort((array), (count), sizeof *(array), (compare)) \
                 : (void)0)

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
