/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c - a heap, and a shared one */
#include "board.h"
#include "tally/k_heap.h"

K_HEAP_DEFINE(shared, 512);

static struct sys_heap heap;
static unsigned char memory[1024];

int main(void)
{
    sys_heap_init(&heap, memory, sizeof memory);
    sys_heap_free(&heap, sys_heap_alloc(&heap, 10));
    k_heap_free(&shared, k_heap_alloc(&shared, 10, K_NO_WAIT));
    return 0;
}
