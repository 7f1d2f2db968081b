/* SPDX-License-Identifier: Apache-2.0 */
/*
 * after_refusals.c - 20,000 blocks of 1,000 bytes, each after a request of
 * 100,000, which refusing_library.c refuses
 */
#include <stdlib.h>

static __attribute__((noinline)) void *make(size_t size)
{
    return malloc(size);
}

static __attribute__((noinline)) void after_refusals(void)
{
    for (int i = 0; i < 20000; i++) {
        if (make(100000) != NULL)
            exit(98);
        free(make(1000));
    }
}

int main(void)
{
    after_refusals();
    return 0;
}
