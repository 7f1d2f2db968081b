/* SPDX-License-Identifier: Apache-2.0 */
/* unseen_untagged.c - the part of unseen.c that is compiled without the
   header */
#include <stdlib.h>

void *untagged_allocate(size_t size);
void *untagged_resize(void *block, size_t size);
void untagged_free(void *block);

void *untagged_allocate(size_t size)
{
    return malloc(size);
}

void *untagged_resize(void *block, size_t size)
{
    return realloc(block, size);
}

void untagged_free(void *block)
{
    free(block);
}
