/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.h - arrays that grow by one item, and searches in sorted ones
 *
 *     ARRAY_ADD(list->items, list->count, item);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tool/tables/memory.h"

/* Return `array` with room for one more item; it doubles at powers of two. */
static inline void *array_grow(void *array, size_t count, size_t item_size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return memory_resized(array, count == 0 ? 1 : count * 2, item_size);
}

/* Append an item. */
#define ARRAY_ADD(array, count, ...)                          \
    ((array) = array_grow((array), (count), sizeof *(array)), \
     (array)[(count)++] = (__VA_ARGS__))

/* Sort an array, even an empty one, whose NULL qsort() does not take. */
#define ARRAY_SORT(array, count, compare)                              \
    ((count) > 0 ? qsort((array), (count), sizeof *(array), (compare)) \
                 : (void)0)

/* Compare items by the uint64_t at their start, for qsort(). */
static inline int array_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Return how many of the sorted items begin with at most `number`. */
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
