/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seed_examples.c - the examples of Zephyr's manual, letter for letter
 *
 * Each has its own scope and leaves the counts that its text implies. Compiled
 * with SLAB_HEADER as the only kernel header.
 */
#include <stdio.h>
#include <string.h>

#include SLAB_HEADER

static int failures;

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("line %d: not so: %s\n", __LINE__, #condition); \
            failures++;                                            \
        }                                                          \
    } while (0)

/* 6 blocks of 400 bytes, each aligned to 4, none of them in use. */
static void check_slab(struct k_mem_slab *slab)
{
    struct sys_memory_stats stats;
    void *blocks[7];

    CHECK(k_mem_slab_num_used_get(slab) == 0);
    CHECK(k_mem_slab_num_free_get(slab) == 6);
    for (int i = 0; i < 6; i++) {
        CHECK(k_mem_slab_alloc(slab, &blocks[i], K_NO_WAIT) == 0);
        CHECK((uintptr_t)blocks[i] % 4 == 0);
        CHECK((char *)blocks[i] == (char *)blocks[0] + 400 * i);
        memset(blocks[i], 0x5a, 400);
    }
    CHECK(k_mem_slab_alloc(slab, &blocks[6], K_NO_WAIT) == -12);
    CHECK(blocks[6] == NULL);
    CHECK(k_mem_slab_runtime_stats_get(slab, &stats) == 0);
    CHECK(stats.allocated_bytes == 2400 && stats.free_bytes == 0);
    for (int i = 5; i >= 0; i--)
        k_mem_slab_free(slab, blocks[i]);
    CHECK(k_mem_slab_num_used_get(slab) == 0);
    CHECK(k_mem_slab_max_used_get(slab) == 6);
}

static void defined_and_initialised(void)
{
    struct k_mem_slab my_slab;
    char __aligned(4) my_slab_buffer[6 * 400];

    k_mem_slab_init(&my_slab, my_slab_buffer, 400, 6);

    check_slab(&my_slab);
}

static void defined_in_a_function(void)
{
    K_MEM_SLAB_DEFINE(my_slab, 400, 6, 4);

    check_slab(&my_slab);
}

static void defined_static_in_a_function(void)
{
    K_MEM_SLAB_DEFINE_STATIC(my_slab, 400, 6, 4);

    check_slab(&my_slab);
}

#ifdef SLAB_IS_STATIC
K_MEM_SLAB_DEFINE_STATIC(my_slab, 400, 6, 4);
#else
K_MEM_SLAB_DEFINE(my_slab, 400, 6, 4);
#endif

/* Constructors run before main, and may run before all others. */
static int result_of_constructor = -1;
static void *block_of_constructor;

__attribute__((constructor(101))) static void use_before_main(void)
{
    result_of_constructor =
        k_mem_slab_alloc(&my_slab, &block_of_constructor, K_FOREVER);
}

static void allocated(void)
{
    char *block_ptr;

    if (k_mem_slab_alloc(&my_slab, (void **)&block_ptr, K_MSEC(100)) == 0) {
        memset(block_ptr, 0, 400);
    } else {
        printf("Memory allocation time-out");
    }

    CHECK(block_ptr[0] == 0 && block_ptr[399] == 0);
    CHECK(k_mem_slab_num_used_get(&my_slab) == 1);
    CHECK(k_mem_slab_num_free_get(&my_slab) == 5);
    k_mem_slab_free(&my_slab, block_ptr);
}

static void released(void)
{
    char *block_ptr;

    k_mem_slab_alloc(&my_slab, (void **)&block_ptr, K_FOREVER);
    /* use memory block pointed at by block_ptr */
    k_mem_slab_free(&my_slab, (void *)block_ptr);

    CHECK(k_mem_slab_num_used_get(&my_slab) == 0);
    CHECK(k_mem_slab_max_used_get(&my_slab) == 1);
}

int main(void)
{
    CHECK(result_of_constructor == 0);
    CHECK(k_mem_slab_num_used_get(&my_slab) == 1);
    k_mem_slab_free(&my_slab, block_of_constructor);

    defined_and_initialised();
    defined_and_initialised();
    defined_in_a_function();
    defined_in_a_function();
    defined_static_in_a_function();
    allocated();
    released();
    check_slab(&my_slab);
    printf("%s\n", failures == 0 ? "done" : "failed");
    return failures != 0;
}
