/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.c - memory that is freed all at once
 *
 * Blocks that may grow come from the heap, each behind a link of a list, so
 * that a large array is resized in place. Copies, which are many and small, are
 * packed into blocks of PART_SIZE.
 */
#include "tool/tables/tables.h"

#include <stdarg.h>

enum { PART_SIZE = 1 << 14 };

/* Header of each block, which keeps the heap's alignment. */
struct link {
    _Alignas(max_align_t) struct link *next;
    struct link *previous;
};

struct ending {
    struct ending *next;
    void (*end)(void *object);
    void *object;
};

struct arena {
    struct link blocks; /* circular list */
    struct ending *endings;
    char *part;  /* room for the next copies */
    size_t left; /* bytes */
};

struct arena *arena_create(void)
{
    struct arena *arena = memory_zeroed(1, sizeof *arena);

    arena->blocks.next = arena->blocks.previous = &arena->blocks;
    return arena;
}

void arena_destroy(struct arena *arena)
{
    if (arena == NULL)
        return;
    for (; arena->endings != NULL; arena->endings = arena->endings->next)
        arena->endings->end(arena->endings->object);
    while (arena->blocks.next != &arena->blocks)
        arena_release(arena, arena->blocks.next + 1);
    free(arena);
}

void arena_at_end(struct arena *arena, void (*end)(void *object), void *object)
{
    const struct ending ending = { arena->endings, end, object };

    arena->endings = arena_copy(arena, &ending, sizeof ending);
}

static void *put_behind(struct link *before, struct link *link)
{
    link->previous = before;
    link->next = before->next;
    link->previous->next = link->next->previous = link;
    return link + 1;
}

void *arena_zeroed(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;

    if (arena == NULL)
        return memory_zeroed(count, size);
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct link), &bytes))
        exit_out_of_memory();
    return put_behind(&arena->blocks, memory_zeroed(bytes, 1));
}

void *arena_resized(struct arena *arena, void *block, size_t count, size_t size)
{
    struct link *link = block, *before;
    size_t bytes;

    if (arena == NULL)
        return memory_resized(block, count, size);
    if (block == NULL)
        return arena_zeroed(arena, count, size);
    link--;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof *link, &bytes))
        exit_out_of_memory();
    before = link->previous;
    before->next = link->next;
    link->next->previous = before;
    return put_behind(before, memory_resized(link, bytes, 1));
}

void arena_release(struct arena *arena, void *block)
{
    struct link *link = block;

    if (arena != NULL && block != NULL) {
        link--;
        link->previous->next = link->next;
        link->next->previous = link->previous;
        block = link;
    }
    free(block);
}

/* Return room for a copy. */
static char *take(struct arena *arena, size_t size, size_t alignment)
{
    size_t gap = -(size_t)(uintptr_t)arena->part & (alignment - 1);

    if (size > PART_SIZE / 4)
        return arena_zeroed(arena, size, 1);
    if (arena->left < gap + size) {
        arena->part = arena_zeroed(arena, PART_SIZE, 1);
        arena->left = PART_SIZE;
        gap = 0;
    }
    arena->part += gap + size;
    arena->left -= gap + size;
    return arena->part - size;
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
    void *copy = arena == NULL ? memory_resized(NULL, size, 1)
                               : take(arena, size, _Alignof(max_align_t));

    return size == 0 ? copy : memcpy(copy, bytes, size);
}

char *arena_text_of(struct arena *arena, const void *bytes, size_t length)
{
    char *copy = arena == NULL ? memory_resized(NULL, length + 1, 1)
                               : take(arena, length + 1, 1);

    if (length != 0)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

char *arena_text(struct arena *arena, const char *text)
{
    return arena_text_of(arena, text, strlen(text));
}

char *arena_print(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    char *print, *text;
    int length;

    va_start(arguments, format);
    length = vasprintf(&print, format, arguments);
    va_end(arguments);
    text = arena_text(arena, memory_or_exit(length < 0 ? NULL : print));
    free(print);
    return text;
}
