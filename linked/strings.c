/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings.c - functions of libc that allocate, over tally/tagged.h
 *
 * libc's own would allocate unseen. Requests are exact: strdup asks for the
 * length plus one byte. getdelim grows by doubling from 120 bytes.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/observers/tell.h"
#include "tally/private/malloc_family.h"

enum { FIRST_LINE = 120 };

#define OVER_TAG(symbol, condition, type, name, sized, parameters, ...)        \
    type symbol parameters;                                                    \
    type symbol parameters                                                     \
    {                                                                          \
        return condition ? tally_tag_##name(tally_take_pending(), __VA_ARGS__) \
                         : tally_libc_##name(__VA_ARGS__);                     \
    }

/* Targets of `&malloc` and the like in a source that includes tally/malloc.h.
   Their blocks are charged to no tag, but free() and realloc() look. */
#define BY_ADDRESS(condition, type, name, ...) \
    OVER_TAG(tally_##name, false, type, name, __VA_ARGS__)
/* Direct calls that are not inlined: the tag is the one left by the macro. */
#define WITH_TAG(condition, type, name, ...) \
    OVER_TAG(tally_##name, condition, type, name, __VA_ARGS__)
#define UNOPTIMIZED(condition, type, name, ...)                    \
    OVER_TAG(tally_unoptimized_##name,                             \
             (condition) && tally_pending_tag != NULL, type, name, \
             __VA_ARGS__)

TALLY_FAMILY_INLINE(BY_ADDRESS)
TALLY_FAMILY_INLINE(UNOPTIMIZED)
TALLY_FAMILY_NAMED(WITH_TAG)

void tally_free(void *block);
void tally_free(void *block)
{
    if (__atomic_load_n(&tally_mem_profiling_frees, __ATOMIC_RELAXED) != 0)
        tally_tag_free(block);
    else
        tally_libc_free(block);
}

void *tally_tag_reallocarray(struct alloc_tag *tag, void *block, size_t count,
                             size_t size)
{
    size_t bytes;

    if (tell_begins())
        return tell_realloc(
            tally_tag_reallocarray(tag, block, count, size), block,
            __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes,
            TELL_CALLER);
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX; /* it fails */
    return tally_tag_realloc(tag, block, bytes);
}

/* Accept any alignment, as libc does, and round it up to a power of two. */
void *tally_tag_memalign(struct alloc_tag *tag, size_t alignment, size_t size)
{
    size_t power = sizeof(void *);
    void *block;
    int error;

    if (tell_begins())
        return tell_malloc(tally_tag_memalign(tag, alignment, size), size,
                           TELL_CALLER);
    if (alignment > SIZE_MAX / 2 + 1) {
        errno = EINVAL;
        return NULL;
    }
    while (power < alignment)
        power *= 2;
    error = tally_tag_posix_memalign(tag, &block, power, size);
    if (error == 0)
        return block;
    errno = error;
    return NULL;
}

void *tally_tag_valloc(struct alloc_tag *tag, size_t size)
{
    if (tell_begins())
        return tell_malloc(tally_tag_valloc(tag, size), size, TELL_CALLER);
    return tally_tag_memalign(tag, (size_t)sysconf(_SC_PAGESIZE), size);
}

void *tally_tag_pvalloc(struct alloc_tag *tag, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (tell_begins())
        return tell_malloc(tally_tag_pvalloc(tag, size), size, TELL_CALLER);
    if (size <= SIZE_MAX - page)
        size = (size + page - 1) & ~(page - 1);
    return tally_tag_memalign(tag, page, size);
}

static char *copy(struct alloc_tag *tag, const char *text, size_t length)
{
    char *block = tally_tag_malloc(tag, length + 1);

    if (block == NULL)
        return NULL;
    memcpy(block, text, length);
    block[length] = '\0';
    return block;
}

char *tally_tag_strdup(struct alloc_tag *tag, const char *text)
{
    if (tell_begins())
        return tell_malloc(tally_tag_strdup(tag, text), strlen(text) + 1,
                           TELL_CALLER);
    return copy(tag, text, strlen(text));
}

char *tally_tag_strndup(struct alloc_tag *tag, const char *text, size_t size)
{
    if (tell_begins())
        return tell_malloc(tally_tag_strndup(tag, text, size),
                           strnlen(text, size) + 1, TELL_CALLER);
    return copy(tag, text, strnlen(text, size));
}

int tally_tag_vasprintf(struct alloc_tag *tag, char **text, const char *format,
                        va_list arguments)
{
    va_list again;
    char *block;
    int length;

    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return -1;
    block = tally_tag_malloc(tag, (size_t)length + 1);
    if (block == NULL)
        return -1;
    *text = block;
    return vsnprintf(block, (size_t)length + 1, format, arguments);
}

/* In parentheses: with CONFIG_MEM_ALLOC_PROFILING_DEBUG it is a macro. */
int(asprintf_noprof)(char **text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = tally_tag_vasprintf(tally_current_tag, text, format, arguments);
    va_end(arguments);
    return length;
}

/* Grow the line to `wanted` bytes; return false and set errno if that fails. */
static bool make_room(struct alloc_tag *tag, char **line, size_t *size,
                      size_t wanted)
{
    size_t larger =
        *line == NULL || *size < FIRST_LINE / 2 ? FIRST_LINE : 2 * *size;
    char *block;

    if (*line != NULL && wanted <= *size)
        return true;
    if (wanted > SSIZE_MAX) {
        errno = EOVERFLOW;
        return false;
    }
    block = tally_tag_realloc(tag, *line, larger < wanted ? wanted : larger);
    if (block == NULL)
        return false;
    *line = block;
    *size = larger < wanted ? wanted : larger;
    return true;
}

static ssize_t read_line(struct alloc_tag *tag, char **line, size_t *size,
                         int delimiter, FILE *stream)
{
    size_t length = 0;
    int byte;

    if (!make_room(tag, line, size, 2))
        return -1;
    while ((byte = getc_unlocked(stream)) != EOF) {
        if (!make_room(tag, line, size, length + 2))
            return -1;
        (*line)[length++] = (char)byte;
        if (byte == delimiter)
            break;
    }
    if (length == 0 || (ferror_unlocked(stream) && byte == EOF))
        return -1;
    (*line)[length] = '\0';
    return (ssize_t)length;
}

ssize_t tally_tag_getdelim(struct alloc_tag *tag, char **line, size_t *size,
                           int delimiter, FILE *stream)
{
    ssize_t length;

    if (line == NULL || size == NULL || stream == NULL) {
        errno = EINVAL;
        return -1;
    }
    flockfile(stream);
    length = read_line(tag, line, size, delimiter, stream);
    funlockfile(stream);
    return length;
}
