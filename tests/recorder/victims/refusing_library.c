/* SPDX-License-Identifier: Apache-2.0 */
/* refusing_library.c - a malloc that refuses requests of 100,000 bytes */
#include <errno.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void __libc_free(void *block);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size)
{
    if (size != 100000)
        return __libc_malloc(size);
    errno = ENOMEM;
    return NULL;
}

void free(void *block)
{
    __libc_free(block);
}

void *calloc(size_t count, size_t size)
{
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return __libc_realloc(block, size);
}
