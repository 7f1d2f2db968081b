/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sized_library.c - an allocator whose free_sized is a jump to free@plt, like
 * glibc's from 2.43 on
 *
 * It forwards to libc, and claims to be libc.
 */
#include <stddef.h>

#define LIBC(name, ...) extern __typeof__(name) __libc_##name;
#define JUMP(name)                                                 \
    __asm__(".globl " #name "\n.type " #name ", @function\n" #name \
            ":\njmp free@plt\n.size " #name ", . - " #name "\n");

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *memalign(size_t alignment, size_t size);
void free(void *block);
LIBC(malloc)
LIBC(calloc)
LIBC(realloc)
LIBC(memalign)
LIBC(free)

JUMP(free_sized)
JUMP(free_aligned_sized)

const char *gnu_get_libc_version(void);

const char *gnu_get_libc_version(void)
{
    return "2.43";
}

void *malloc(size_t size)
{
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size)
{
    return __libc_memalign(alignment, size);
}

void free(void *block)
{
    __libc_free(block);
}
