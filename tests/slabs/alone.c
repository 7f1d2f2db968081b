/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alone.c - slabs and heaps without a single hook
 *
 *     alone USE [never]
 *
 * Says "ready" and waits for its input to end. USE is a row of the table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tally/k_heap.h>
#include <tally/mem_profiling.h>
#include <tally/mem_slab.h>

K_MEM_SLAB_DEFINE(packets, 400, 2, 4);
K_HEAP_DEFINE(messages, 4096);

static char memory[1024] __aligned(8);
static struct k_mem_slab slab;
static struct sys_heap heap;
static struct k_heap shared;
static void *block;

static void use_slab(void)
{
    k_mem_slab_alloc(&packets, &block, K_NO_WAIT);
}

/* The first operation on the slab is a fault. */
static void fault_slab(void)
{
    k_mem_slab_free(&packets, memory);
}

static void fault_heap(void)
{
    k_heap_free(&messages, memory);
}

static void refuse_heap(void)
{
    block = k_heap_alloc(&messages, 8000, K_NO_WAIT);
}

static void init_slab(void)
{
    k_mem_slab_init(&slab, memory, 64, 4);
}

static void init_heap(void)
{
    sys_heap_init(&heap, memory, sizeof memory);
}

static void init_shared(void)
{
    k_heap_init(&shared, memory, sizeof memory);
}

static void use_none(void)
{
}

/* The child inherits the parent's state; its own changes stay its own. */
static void use_forked(void)
{
    pid_t child;

    use_slab();
    refuse_heap();
    child = fork();
    if (child != 0) {
        waitpid(child, NULL, 0);
        exit(0);
    }
    use_slab();
    refuse_heap();
    printf("%d ", (int)getpid());
}

static const struct {
    const char *name;
    void (*use)(void);
} uses[] = {
    { "slab", use_slab },           { "slab-fault", fault_slab },
    { "heap-fault", fault_heap },   { "heap-refused", refuse_heap },
    { "slab-init", init_slab },     { "heap-init", init_heap },
    { "shared-init", init_shared }, { "none", use_none },
    { "forked", use_forked },
};

static void ignore_slab(struct k_mem_slab *of, const void *mem,
                        enum tally_slab_fault fault)
{
    (void)of, (void)mem, (void)fault;
}

static void ignore_heap(struct sys_heap *of, const void *mem,
                        enum tally_heap_fault fault)
{
    (void)of, (void)mem, (void)fault;
}

int main(int argc, char **argv)
{
    tally_mem_slab_on_fault(ignore_slab);
    tally_heap_on_fault(ignore_heap);
    /* Before the first use, the setting may still be chosen. */
    if (argc > 2 && tally_sysctl("vm.mem_profiling=never") != 0)
        return 2;
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        if (argc > 1 && strcmp(argv[1], uses[i].name) == 0)
            uses[i].use();
    }
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
