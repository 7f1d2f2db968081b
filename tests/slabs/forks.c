/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forks.c - a child continues with its own copy of its parent's slabs
 *
 * With an argument it says "ready" and waits for its input to end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tally/k_heap.h>
#include <tally/mem_slab.h>

K_MEM_SLAB_DEFINE(packets, 16, 8, 8);
K_HEAP_DEFINE(messages, 1000);

static int be_the_child(void)
{
    static struct k_mem_slab own;
    static char buffer[8 * 8] __aligned(4);
    void *volatile block = malloc(100); /* opens its ledger, if it has one */
    void *mem;
    int wrong = block == NULL;

    for (int i = 0; i < 3; i++)
        wrong |= k_mem_slab_alloc(&packets, &mem, K_NO_WAIT) != 0;
    wrong |= k_heap_alloc(&messages, 8, K_NO_WAIT) == NULL;
    wrong |= k_mem_slab_init(&own, buffer, 8, 8) != 0;
    tally_mem_slab_name_set(&own, "of the child");
    wrong |= k_mem_slab_alloc(&own, &mem, K_NO_WAIT) != 0;
    wrong |= k_mem_slab_num_used_get(&packets) != 4;
    return wrong;
}

int main(int argc, char **argv)
{
    void *volatile block = malloc(100);
    int status;
    void *mem;
    pid_t child;

    (void)argv;
    tally_mem_slab_name_set(&packets, "packets");
    if (block == NULL || k_mem_slab_alloc(&packets, &mem, K_NO_WAIT) != 0 ||
        k_heap_alloc(&messages, 8, K_NO_WAIT) == NULL)
        return 1;
    child = fork();
    if (child == 0)
        exit(be_the_child());
    if (waitpid(child, &status, 0) != child || status != 0 ||
        k_mem_slab_num_used_get(&packets) != 1)
        return 1;
    if (argc > 1) {
        puts("ready");
        fflush(stdout);
        while (getchar() != EOF)
            ;
    }
    return 0;
}
