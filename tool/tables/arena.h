/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory that is freed all at once
 *
 * A profile and its names lie in one arena, so that no part of them needs a
 * function to free it.
 *
 *     struct arena *arena = arena_create();
 *
 *     list->name = arena_text(arena, name);
 *     ARENA_ADD(arena, list->items, list->count, item);
 *     arena_destroy(arena);
 *
 * A NULL arena is the heap: its blocks are for free().
 */
#pragma once

#include <stddef.h>

#include "tool/tables/array.h"

struct arena;

struct arena *arena_create(void);

/* Call what arena_at_end() registered, the last first, and free all blocks. */
void arena_destroy(struct arena *arena);

/* Call `end(object)` when the arena is destroyed. */
void arena_at_end(struct arena *arena, void (*end)(void *object), void *object);

/* Return a block that can be resized: a new one of zeros, or a resized one. */
void *arena_zeroed(struct arena *arena, size_t count, size_t size);
void *arena_resized(struct arena *arena, void *block, size_t count,
                    size_t size);

/* Free such a block before the arena, because it is large and not needed. */
void arena_release(struct arena *arena, void *block);

/* Return a copy of `size` bytes that is neither resized nor released. */
void *arena_copy(struct arena *arena, const void *bytes, size_t size);

/* Return a copy of a text, of `length` bytes as a text, or a formatted text. */
char *arena_text(struct arena *arena, const char *text);
char *arena_text_of(struct arena *arena, const void *bytes, size_t length);
char *arena_print(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Like array_grow() and ARRAY_ADD(), in an arena. */
static inline void *arena_grow(struct arena *arena, void *array, size_t count,
                               size_t item_size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return arena_resized(arena, array, count == 0 ? 1 : count * 2, item_size);
}

#define ARENA_ADD(arena, array, count, ...)                            \
    ((array) = arena_grow((arena), (array), (count), sizeof *(array)), \
     (array)[(count)++] = (__VA_ARGS__))
