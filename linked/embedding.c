/* SPDX-License-Identifier: Apache-2.0 */
/* embedding.c - libtally as the accounts see it: ledger/record/embedding.h */
#include "ledger/record/embedding.h"

#include <stddef.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "ledger/space/modules.h"
#include "linked/engine.h"
#include "ports/posix/loaded_symbols.h"

#ifdef __GLIBC__
/* glibc's own malloc, and the one that is called. */
extern char its_malloc[] __asm__("__libc_malloc");
extern char called_malloc[] __asm__("malloc");

/* The compiler may not know that two names can be one. */
static bool are_same(const char *volatile a, const char *volatile b)
{
    return a == b;
}

bool embedding_has_glibc(void)
{
    return true;
}

/* A program that is linked statically cannot look names up. */
bool embedding_is_libc(void)
{
    void *allocator = loaded_symbols_find("malloc");
    const char *(*libc_function)(void) = gnu_get_libc_version;
    void *libc;

    if (allocator == NULL)
        return are_same(called_malloc, its_malloc);
    /* Not a function that sanitizers and others replace. */
    memcpy(&libc, &libc_function, sizeof libc);
    return modules_are_same(allocator, libc);
}
#else
bool embedding_has_glibc(void)
{
    return false;
}

bool embedding_is_libc(void)
{
    return false;
}
#endif

/* Entry points are the program's own here. */
void embedding_choose_mode(void)
{
}

bool embedding_claim(struct session_claim *claim)
{
    return engine_claim(claim);
}

void embedding_open(const struct session_claim *claim)
{
    (void)claim;
}

/* There are no stacks that could be sampled. */
void embedding_begin_samples(const struct session_claim *claim)
{
    (void)claim;
}

uint64_t embedding_map_table(void)
{
    return 0;
}

uint64_t embedding_inherit(void)
{
    return 0;
}

bool embedding_open_stacks(void)
{
    return false;
}

void embedding_adopt_stacks(void)
{
}
