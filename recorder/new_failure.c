/* SPDX-License-Identifier: Apache-2.0 */
/* new_failure.c - see new_failure.h */
#define _GNU_SOURCE
#include "recorder/new_failure.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

typedef void handler_fn(void);

/* NULL: no C++ library, or not one that we know. */
static handler_fn *(*get_handler)(void);
static void (*throw_bad_alloc)(void);

static void find_symbol(void *library, const char *name, void *slot)
{
    void *symbol = dlsym(library, name);

    if (symbol != NULL)
        memcpy(slot, &symbol, sizeof symbol);
}

void new_failure_find(void *library)
{
    find_symbol(library, "_ZSt15get_new_handlerv", &get_handler);
    find_symbol(library, "_ZSt17__throw_bad_allocv", &throw_bad_alloc);
}

bool new_failure_is_ours(bool is_nothrow)
{
    if (get_handler == NULL || throw_bad_alloc == NULL)
        return false;
    return !is_nothrow || get_handler() == NULL;
}

/* No handler is asked about what rounds up to more than there can be. */
void new_failure_happen(size_t size, size_t alignment)
{
    bool is_beyond_all = alignment != 0 && size > SIZE_MAX - alignment + 1;
    handler_fn *handler = get_handler();

    if (handler == NULL || is_beyond_all)
        throw_bad_alloc();
    else
        handler();
}
