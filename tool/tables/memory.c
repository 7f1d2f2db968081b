/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - see tables.h
 *
 * libdw and the libraries below it may ignore a failed request, so that a name
 * is missing or wrong, or crash. So malloc, calloc and realloc are replaced:
 * they call the next ones, libc's or others', and check the result.
 */
#include "tool/tables/tables.h"

#include <dlfcn.h>
#include <stdarg.h>

#include "tool/text/text.h"

const struct memory_use memory_for_names = { .purpose = " for names",
                                             .has_libraries = true };

static _Thread_local const struct memory_use *current;
static void (*undo_at_end)(void);

const struct memory_use *memory_use(const struct memory_use *use)
{
    const struct memory_use *before = current;

    current = use;
    return before;
}

void memory_undo(void (*undo)(void))
{
    undo_at_end = undo;
}

void exit_out_of_memory(void)
{
    static const struct memory_use unknown = { .purpose = "" };
    const struct memory_use *use = current == NULL ? &unknown : current;

    current = NULL; /* requests may fail from here on */
    if (undo_at_end != NULL)
        undo_at_end();
    fputs("tally: ", stderr);
    if (use->what != NULL) {
        escape_write(stderr, ESCAPE_TERMINAL, use->what, SIZE_MAX);
        fputs(": ", stderr);
    }
    fprintf(stderr, "there is not enough memory%s; free some and try again\n",
            use->purpose);
    exit(2);
}

void *memory_or_exit(void *block)
{
    if (block == NULL)
        exit_out_of_memory();
    return block;
}

void *memory_zeroed(size_t count, size_t size)
{
    return memory_or_exit(calloc(count == 0 ? 1 : count, size));
}

void *memory_resized(void *block, size_t count, size_t size)
{
    return memory_or_exit(reallocarray(block, count == 0 ? 1 : count, size));
}

char *memory_text(const char *text)
{
    return memory_or_exit(strdup(text));
}

char *memory_print(const char *format, ...)
{
    va_list arguments;
    char *text;
    int length;

    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return memory_or_exit(length < 0 ? NULL : text);
}

/* Sanitizers replace malloc themselves, and end the program, too. */
#ifndef TALLY_SANITIZED
/* Look up the next allocator when it is needed: libraries allocate before our
   constructors run. The call is mostly a tail call, so that the next allocator
   sees our caller. */
#define NEXT(function, parameters, arguments, is_asked)                \
    __attribute__((visibility("default"))) void *function parameters   \
    {                                                                  \
        static void *(*next)parameters;                                \
                                                                       \
        if (next == NULL)                                              \
            *(void **)(void *)&next = dlsym(RTLD_NEXT, #function);     \
        return current != NULL && current->has_libraries && (is_asked) \
                   ? memory_or_exit(next arguments)                    \
                   : next arguments;                                   \
    }

NEXT(malloc, (size_t size), (size), size != 0)
NEXT(calloc, (size_t count, size_t size), (count, size),
     count != 0 && size != 0)
NEXT(realloc, (void *block, size_t size), (block, size), size != 0)
#endif
