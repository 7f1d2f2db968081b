/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mem_slab.c - every return value without waiting, and refused calls
 *
 * This file is long because it has a test for each statement of the header.
 */
#include "tally/mem_slab.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_port.h"

enum { BLOCK = 12, BLOCKS = 5 };

K_MEM_SLAB_DEFINE(of_file, 400, 6, 4);
K_MEM_SLAB_DEFINE_STATIC(of_unit, 24, 3, 8);
K_MEM_SLAB_DEFINE_STATIC(never_used, 64, 2, 64);

static unsigned char buffer[BLOCK * BLOCKS + 64] __aligned(8);
static struct k_mem_slab slab;

static unsigned faults_told;
static enum tally_slab_fault last_fault;
static const void *last_mem;

static void on_fault(struct k_mem_slab *of, const void *mem,
                     enum tally_slab_fault fault)
{
    (void)of;
    faults_told++;
    last_fault = fault;
    last_mem = mem;
}

static int open_slab(void **state)
{
    (void)state;
    memset(buffer, 0xa5, sizeof buffer);
    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, BLOCKS), 0);
    tally_mem_slab_on_fault(on_fault);
    faults_told = 0;
    return 0;
}

static void *take(struct k_mem_slab *from)
{
    void *block = NULL;

    assert_int_equal(k_mem_slab_alloc(from, &block, K_NO_WAIT), 0);
    assert_non_null(block);
    return block;
}

static struct tally_slab_figures figures_of(const struct k_mem_slab *of)
{
    struct tally_slab_figures figures;

    assert_int_equal(tally_mem_slab_figures_get(of, &figures), 0);
    return figures;
}

static void blocks_lie_without_gaps_lowest_first(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BLOCKS; i++)
        assert_ptr_equal(take(&slab), buffer + i * BLOCK);
    assert_int_equal(buffer[BLOCK * BLOCKS], 0xa5);
}

static void the_last_one_freed_comes_first(void **state)
{
    void *one = take(&slab), *two = take(&slab), *three = take(&slab);

    (void)state;
    k_mem_slab_free(&slab, one);
    k_mem_slab_free(&slab, three);
    k_mem_slab_free(&slab, two);
    assert_ptr_equal(take(&slab), two);
    assert_ptr_equal(take(&slab), three);
    assert_ptr_equal(take(&slab), one);
    assert_ptr_equal(take(&slab), buffer + 3 * BLOCK);
}

static void only_the_first_4_bytes_of_unused_blocks_are_used(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BLOCKS; i++)
        memset(take(&slab), 0x5a, BLOCK);
    for (unsigned i = 0; i < BLOCKS; i++)
        k_mem_slab_free(&slab, buffer + i * BLOCK);
    for (unsigned i = 0; i < BLOCKS; i++) {
        for (unsigned j = 4; j < BLOCK; j++)
            assert_int_equal(buffer[i * BLOCK + j], 0x5a);
    }
}

static void blocks_of_4_bytes_will_do(void **state)
{
    static unsigned char memory[4 * 3 + 4] __aligned(8);
    struct k_mem_slab small;

    (void)state;
    assert_int_equal(k_mem_slab_init(&small, memory + 4, 4, 3), 0);
    assert_ptr_equal(take(&small), memory + 4);
    assert_ptr_equal(take(&small), memory + 8);
    k_mem_slab_free(&small, memory + 4);
    assert_ptr_equal(take(&small), memory + 4);
    assert_ptr_equal(take(&small), memory + 12);
    tally_mem_slab_forget(&small);
}

static void without_a_block_it_says_so_and_clears_the_pointer(void **state)
{
    void *block = buffer;

    (void)state;
    for (unsigned i = 0; i < BLOCKS; i++)
        take(&slab);
    assert_int_equal(k_mem_slab_alloc(&slab, &block, K_NO_WAIT), -ENOMEM);
    assert_null(block);
    assert_int_equal(figures_of(&slab).refused, 1);
    assert_int_equal(k_mem_slab_num_used_get(&slab), BLOCKS);
    assert_int_equal(k_mem_slab_max_used_get(&slab), BLOCKS);
}

static void where_nobody_waits_any_timeout_is_none(void **state)
{
    void *block = buffer;

    (void)state;
    for (unsigned i = 0; i < BLOCKS; i++)
        take(&slab);
    fake_port_set_may_wait(false);
    assert_int_equal(k_mem_slab_alloc(&slab, &block, K_FOREVER), -ENOMEM);
    assert_null(block);
    block = buffer;
    assert_int_equal(k_mem_slab_alloc(&slab, &block, K_MSEC(10)), -ENOMEM);
    assert_null(block);
    fake_port_set_may_wait(true);
    assert_int_equal(figures_of(&slab).refused, 2);
    assert_int_equal(figures_of(&slab).timed_out, 0);
}

static void bad_arguments_of_alloc_are_refused(void **state)
{
    static struct k_mem_slab never;
    struct k_mem_slab copy = slab;
    void *block = buffer;

    (void)state;
    assert_int_equal(k_mem_slab_alloc(NULL, &block, K_NO_WAIT), -EINVAL);
    assert_int_equal(k_mem_slab_alloc(&slab, NULL, K_NO_WAIT), -EINVAL);
    assert_int_equal(k_mem_slab_alloc(&never, &block, K_NO_WAIT), -EINVAL);
    assert_int_equal(k_mem_slab_alloc(&copy, &block, K_FOREVER), -EINVAL);
    assert_ptr_equal(block, buffer);
    assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
    assert_int_equal(k_mem_slab_num_free_get(&never), 0);
    assert_int_equal(k_mem_slab_max_used_get(&never), 0);
}

static void bad_arguments_of_init_are_refused(void **state)
{
    struct k_mem_slab other = { 0 };
    void *block = NULL;

    (void)state;
    assert_int_equal(k_mem_slab_init(NULL, buffer, 4, 1), -EINVAL);
    assert_int_equal(k_mem_slab_init(&other, NULL, 4, 1), -EINVAL);
    assert_int_equal(k_mem_slab_init(&other, buffer, 0, 1), -EINVAL);
    assert_int_equal(k_mem_slab_init(&other, buffer, 4, 0), -EINVAL);
    for (unsigned i = 1; i < 4; i++) {
        assert_int_equal(k_mem_slab_init(&other, buffer + i, 4, 1), -EINVAL);
        assert_int_equal(k_mem_slab_init(&other, buffer, 4 + i, 1), -EINVAL);
        assert_int_equal(k_mem_slab_init(&other, buffer, i, 1), -EINVAL);
    }
    assert_int_equal(k_mem_slab_init(&other, buffer, SIZE_MAX - 3, 2), -EINVAL);
    assert_int_equal(k_mem_slab_init(&other, buffer, SIZE_MAX / 2 + 1, 2),
                     -EINVAL);
    assert_int_equal(k_mem_slab_init(&other, buffer, SIZE_MAX - 3, 1), -EINVAL);
    assert_int_equal(
        k_mem_slab_init(&other, buffer, 4, TALLY_SLAB_MOST_BLOCKS + 1),
        -EINVAL);
    assert_int_equal(k_mem_slab_alloc(&other, &block, K_NO_WAIT), -EINVAL);
    assert_null(tally_mem_slab_name(&other));
}

static void a_refused_init_leaves_the_slab_as_it_was(void **state)
{
    void *block = take(&slab);

    (void)state;
    assert_int_equal(k_mem_slab_init(&slab, buffer, 6, 1), -EINVAL);
    assert_int_equal(k_mem_slab_num_used_get(&slab), 1);
    k_mem_slab_free(&slab, block);
    assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
    assert_int_equal(faults_told, 0);
}

static void without_memory_beside_the_buffer_init_fails(void **state)
{
    static struct k_mem_slab big;
    static unsigned char memory[4 * 40000] __aligned(4);

    (void)state;
    fake_port_fail_from(1);
    assert_int_equal(k_mem_slab_init(&big, memory, 4, 40000), -ENOMEM);
    fake_port_fail_from(0);
    assert_int_equal(k_mem_slab_alloc(&big, (void *[1]){ 0 }, K_NO_WAIT),
                     -EINVAL);
    assert_int_equal(k_mem_slab_init(&big, memory, 4, 40000), 0);
    for (unsigned i = 0; i < 40000; i++)
        assert_ptr_equal(take(&big), memory + 4 * i);
    assert_int_equal(k_mem_slab_num_used_get(&big), 40000);
    assert_int_equal(k_mem_slab_alloc(&big, (void *[1]){ 0 }, K_NO_WAIT),
                     -ENOMEM);
    k_mem_slab_free(&big, memory + 4 * 39999);
    k_mem_slab_free(&big, memory);
    assert_int_equal(k_mem_slab_num_used_get(&big), 39998);
    assert_int_equal(k_mem_slab_max_used_get(&big), 40000);
    k_mem_slab_free(&big, memory);
    assert_int_equal(faults_told, 1);
    assert_ptr_equal(take(&big), memory);
    tally_mem_slab_forget(&big);
}

static void a_second_init_marks_all_blocks_unused(void **state)
{
    (void)state;
    take(&slab);
    take(&slab);
    assert_int_equal(k_mem_slab_init(&slab, buffer, 2 * BLOCK, 2), 0);
    assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
    assert_int_equal(k_mem_slab_max_used_get(&slab), 0);
    assert_ptr_equal(take(&slab), buffer);
    assert_ptr_equal(take(&slab), buffer + 2 * BLOCK);
    assert_int_equal(k_mem_slab_num_free_get(&slab), 0);
}

static void the_counts_say_what_is_out(void **state)
{
    struct sys_memory_stats stats;
    void *one = take(&slab), *two = take(&slab);

    (void)state;
    take(&slab);
    k_mem_slab_free(&slab, one);
    assert_int_equal(k_mem_slab_num_used_get(&slab), 2);
    assert_int_equal(k_mem_slab_num_free_get(&slab), BLOCKS - 2);
    assert_int_equal(k_mem_slab_max_used_get(&slab), 3);
    assert_int_equal(k_mem_slab_runtime_stats_get(&slab, &stats), 0);
    assert_int_equal(stats.allocated_bytes, 2 * BLOCK);
    assert_int_equal(stats.free_bytes, (BLOCKS - 2) * BLOCK);
    assert_int_equal(stats.max_allocated_bytes, 3 * BLOCK);

    assert_int_equal(k_mem_slab_runtime_stats_reset_max(&slab), 0);
    assert_int_equal(k_mem_slab_max_used_get(&slab), 2);
    k_mem_slab_free(&slab, two);
    assert_int_equal(k_mem_slab_max_used_get(&slab), 2);

    assert_int_equal(k_mem_slab_runtime_stats_get(NULL, &stats), -EINVAL);
    assert_int_equal(k_mem_slab_runtime_stats_get(&slab, NULL), -EINVAL);
    assert_int_equal(k_mem_slab_runtime_stats_reset_max(NULL), -EINVAL);
    assert_int_equal(tally_mem_slab_figures_get(NULL, NULL), -EINVAL);
}

/* Free an invalid pointer: only the count of faults changes. */
static void refuse(void *mem, enum tally_slab_fault fault)
{
    struct tally_slab_figures before = figures_of(&slab);
    unsigned told = faults_told;

    k_mem_slab_free(&slab, mem);
    assert_int_equal(faults_told, told + 1);
    assert_int_equal(last_fault, fault);
    assert_ptr_equal(last_mem, mem);
    assert_int_equal(figures_of(&slab).faults[fault], before.faults[fault] + 1);
    assert_int_equal(figures_of(&slab).used, before.used);
}

static void pointers_that_are_no_blocks_are_refused(void **state)
{
    unsigned char *block = take(&slab);

    (void)state;
    for (unsigned i = 1; i < BLOCK; i++)
        refuse(block + i, TALLY_SLAB_FOREIGN);
    refuse(NULL, TALLY_SLAB_FOREIGN);
    refuse((void *)((uintptr_t)buffer - BLOCK), TALLY_SLAB_FOREIGN);
    refuse(buffer + BLOCK * BLOCKS, TALLY_SLAB_FOREIGN);
    refuse(&block, TALLY_SLAB_FOREIGN);
    refuse((void *)UINTPTR_MAX, TALLY_SLAB_FOREIGN);
    k_mem_slab_free(&slab, block);
    assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
}

static void slabs_that_are_none_are_refused(void **state)
{
    static struct k_mem_slab never;

    (void)state;
    k_mem_slab_free(NULL, buffer);
    k_mem_slab_free(&never, buffer);
    assert_int_equal(faults_told, 2);
    assert_int_equal(last_fault, TALLY_SLAB_FOREIGN);
}

static void a_block_freed_twice_is_refused(void **state)
{
    void *one = take(&slab), *two = take(&slab);

    (void)state;
    k_mem_slab_free(&slab, one);
    refuse(one, TALLY_SLAB_NOT_OUT);
    k_mem_slab_free(&slab, two);
    refuse(one, TALLY_SLAB_NOT_OUT);
    memset(one, 0xff, BLOCK);
    refuse(one, TALLY_SLAB_NOT_OUT);
    refuse(buffer + 4 * BLOCK, TALLY_SLAB_NOT_OUT); /* never handed out */
    assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
}

static void damage_is_found_and_costs_no_block(void **state)
{
    static const unsigned char values[] = { 0x00, 0x01, 0xa5, 0xff };

    (void)state;
    for (unsigned i = 0; i < sizeof values; i++) {
        void *one = take(&slab), *two = take(&slab);

        k_mem_slab_free(&slab, two);
        k_mem_slab_free(&slab, one);
        memset(one, values[i], BLOCK);
        memset(two, values[i], BLOCK);
        faults_told = 0;
        assert_ptr_equal(take(&slab), one);
        assert_int_equal(faults_told, 1);
        assert_int_equal(last_fault, TALLY_SLAB_DAMAGED);
        assert_ptr_equal(last_mem, one);
        assert_ptr_equal(take(&slab), two);
        assert_int_equal(faults_told, 2);
        assert_ptr_equal(take(&slab), buffer + 2 * BLOCK);
        k_mem_slab_free(&slab, two);
        k_mem_slab_free(&slab, one);
        k_mem_slab_free(&slab, buffer + 2 * BLOCK);
        assert_ptr_equal(take(&slab), buffer + 2 * BLOCK);
        k_mem_slab_free(&slab, buffer + 2 * BLOCK);
        assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, BLOCKS), 0);
    }
}

static void damage_to_a_block_never_handed_out_is_found(void **state)
{
    (void)state;
    memset(take(&slab), 0x5a, BLOCK + 1); /* one byte too many */
    assert_int_equal(faults_told, 0);
    assert_ptr_equal(take(&slab), buffer + BLOCK);
    assert_int_equal(faults_told, 1);
    assert_int_equal(last_fault, TALLY_SLAB_DAMAGED);
}

static void static_slabs_are_ready(void **state)
{
    K_MEM_SLAB_DEFINE_STATIC(of_block, 16, 2, 16);

    (void)state;
    assert_int_equal(k_mem_slab_num_free_get(&of_file), 6);
    assert_int_equal((uintptr_t)take(&of_unit) % 8, 0);
    assert_int_equal((uintptr_t)take(&of_block) % 16, 0);
    assert_int_equal((uintptr_t)take(&never_used) % 64, 0);
    assert_int_equal(k_mem_slab_num_used_get(&of_block), 1);
    assert_string_equal(tally_mem_slab_name(&of_file), "of_file");
    assert_string_equal(tally_mem_slab_name(&of_block), "of_block");
}

static bool is_listed(const struct k_mem_slab *wanted)
{
    const struct k_mem_slab *found = NULL;
    unsigned times = 0;

    while ((found = tally_mem_slab_next(found)) != NULL)
        times += found == wanted;
    assert_true(times <= 1);
    return times == 1;
}

static void all_slabs_are_listed_however_made(void **state)
{
    static struct k_mem_slab many[100];
    static unsigned char memory[100][8] __aligned(4);

    (void)state;
    assert_true(is_listed(&of_file));
    assert_true(is_listed(&of_unit));
    assert_true(is_listed(&slab));
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(k_mem_slab_init(&many[i], memory[i], 4, 2), 0);
    for (unsigned i = 0; i < 100; i++)
        assert_true(is_listed(&many[i]));
    assert_int_equal(k_mem_slab_init(&many[7], memory[7], 4, 2), 0);
    assert_true(is_listed(&many[7]));
    for (unsigned i = 0; i < 100; i++) {
        tally_mem_slab_forget(&many[i]);
        assert_false(is_listed(&many[i]));
    }
    assert_int_equal(k_mem_slab_alloc(&many[7], (void *[1]){ 0 }, K_NO_WAIT),
                     -EINVAL);
}

/* The struct of the first slab is gone when the second one is initialised. */
static __attribute__((noinline)) void use_one_on_the_stack(unsigned char fill)
{
    struct k_mem_slab local;

    memset(&local, fill, sizeof local);
    assert_int_equal(k_mem_slab_init(&local, buffer, 4, 2), 0);
    take(&local);
    memset(&local, fill, sizeof local);
}

static void a_slab_whose_memory_is_gone_hurts_nobody(void **state)
{
    size_t pages;

    (void)state;
    use_one_on_the_stack(0xa5);
    pages = fake_port_pages_out();
    for (unsigned i = 0; i < 1000; i++)
        use_one_on_the_stack((unsigned char)i);
    assert_int_equal(fake_port_pages_out(), pages);
    assert_int_equal(k_mem_slab_init(&slab, buffer, BLOCK, BLOCKS), 0);
    take(&slab);
}

static void names_are_what_they_were_set_to(void **state)
{
    (void)state;
    assert_null(tally_mem_slab_name(&slab));
    tally_mem_slab_name_set(&slab, "packets");
    assert_string_equal(tally_mem_slab_name(&slab), "packets");
    tally_mem_slab_name_set(&slab, NULL);
}

static void block_sizes_of_any_shape_divide(void **state)
{
    static unsigned char memory[3 * 1024] __aligned(4);
    static const size_t sizes[] = { 4,  8,  12, 20,  28,  36, 44,
                                    60, 64, 96, 100, 340, 400 };

    (void)state;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(k_mem_slab_init(&slab, memory, sizes[i], 7), 0);
        for (unsigned j = 0; j < 7; j++)
            take(&slab);
        faults_told = 0;
        for (size_t at = 1; at < 7 * sizes[i]; at++) {
            if (at % sizes[i] != 0)
                k_mem_slab_free(&slab, memory + at);
        }
        assert_int_equal(faults_told, 7 * sizes[i] - 7);
        assert_int_equal(k_mem_slab_num_used_get(&slab), 7);
        for (unsigned j = 0; j < 7; j++)
            k_mem_slab_free(&slab, memory + j * sizes[i]);
        assert_int_equal(k_mem_slab_num_used_get(&slab), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(blocks_lie_without_gaps_lowest_first, open_slab),
        cmocka_unit_test_setup(the_last_one_freed_comes_first, open_slab),
        cmocka_unit_test_setup(only_the_first_4_bytes_of_unused_blocks_are_used,
                               open_slab),
        cmocka_unit_test_setup(blocks_of_4_bytes_will_do, open_slab),
        cmocka_unit_test_setup(
            without_a_block_it_says_so_and_clears_the_pointer, open_slab),
        cmocka_unit_test_setup(where_nobody_waits_any_timeout_is_none,
                               open_slab),
        cmocka_unit_test_setup(bad_arguments_of_alloc_are_refused, open_slab),
        cmocka_unit_test_setup(bad_arguments_of_init_are_refused, open_slab),
        cmocka_unit_test_setup(a_refused_init_leaves_the_slab_as_it_was,
                               open_slab),
        cmocka_unit_test_setup(without_memory_beside_the_buffer_init_fails,
                               open_slab),
        cmocka_unit_test_setup(a_second_init_marks_all_blocks_unused,
                               open_slab),
        cmocka_unit_test_setup(the_counts_say_what_is_out, open_slab),
        cmocka_unit_test_setup(pointers_that_are_no_blocks_are_refused,
                               open_slab),
        cmocka_unit_test_setup(slabs_that_are_none_are_refused, open_slab),
        cmocka_unit_test_setup(a_block_freed_twice_is_refused, open_slab),
        cmocka_unit_test_setup(damage_is_found_and_costs_no_block, open_slab),
        cmocka_unit_test_setup(damage_to_a_block_never_handed_out_is_found,
                               open_slab),
        cmocka_unit_test_setup(static_slabs_are_ready, open_slab),
        cmocka_unit_test_setup(all_slabs_are_listed_however_made, open_slab),
        cmocka_unit_test_setup(a_slab_whose_memory_is_gone_hurts_nobody,
                               open_slab),
        cmocka_unit_test_setup(names_are_what_they_were_set_to, open_slab),
        cmocka_unit_test_setup(block_sizes_of_any_shape_divide, open_slab),
    };

    return cmocka_run_group_tests_name("mem_slab", tests, NULL, NULL);
}
