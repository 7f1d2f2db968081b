/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mem_slab_model.c - random operations compared with a simple model
 *
 * The model is a stack of unused blocks and the set of used ones, each filled
 * with its own pattern. All figures must agree after each operation. Operations
 * include invalid frees and damage.
 */
#include "tally/mem_slab.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/random_sequence.h"

enum { OPERATIONS = 100000, MOST_BLOCKS = 64, MOST_BYTES = 48 };

static unsigned char buffer[MOST_BLOCKS * MOST_BYTES] __aligned(4);
static struct k_mem_slab slab;

struct model {
    uint32_t size, count;
    uint32_t unused[MOST_BLOCKS]; /* the last one comes first */
    uint32_t unused_count;
    bool is_out[MOST_BLOCKS];
    bool is_damaged[MOST_BLOCKS];
    unsigned char fill[MOST_BLOCKS];
    uint32_t peak, refused, faults;
};

static struct model model;
static unsigned faults_told;

static void on_fault(struct k_mem_slab *of, const void *mem,
                     enum tally_slab_fault fault)
{
    (void)mem;
    (void)fault;
    assert_ptr_equal(of, &slab);
    faults_told++;
}

static void open_both(struct random_sequence *random)
{
    model = (struct model){
        .size = 4 + 4 * random_below(random, MOST_BYTES / 4),
        .count = 1 + random_below(random, MOST_BLOCKS),
    };
    for (uint32_t i = 0; i < model.count; i++)
        model.unused[i] = model.count - 1 - i;
    model.unused_count = model.count;
    assert_int_equal(k_mem_slab_init(&slab, buffer, model.size, model.count),
                     0);
    faults_told = 0;
}

static unsigned char *block_at(uint32_t number)
{
    return buffer + (size_t)number * model.size;
}

static void allocate(struct random_sequence *random)
{
    void *mem = buffer;
    int result = k_mem_slab_alloc(&slab, &mem, K_NO_WAIT);
    uint32_t number;

    if (model.unused_count == 0) {
        assert_int_equal(result, -ENOMEM);
        assert_null(mem);
        model.refused++;
        return;
    }
    number = model.unused[--model.unused_count];
    assert_int_equal(result, 0);
    assert_ptr_equal(mem, block_at(number));
    model.faults += model.is_damaged[number];
    model.is_damaged[number] = false;
    model.is_out[number] = true;
    model.fill[number] = (unsigned char)random_next(random);
    memset(mem, model.fill[number], model.size);
    if (model.count - model.unused_count > model.peak)
        model.peak = model.count - model.unused_count;
}

static void give_back(struct random_sequence *random)
{
    uint32_t number = random_below(random, model.count);

    k_mem_slab_free(&slab, block_at(number));
    if (!model.is_out[number]) {
        model.faults++;
        return;
    }
    model.is_out[number] = false;
    model.unused[model.unused_count++] = number;
}

static void give_back_what_is_none(struct random_sequence *random)
{
    uint32_t offset = random_below(random, sizeof buffer);

    if (offset % model.size == 0 && offset / model.size < model.count)
        return;
    k_mem_slab_free(&slab, buffer + offset);
    model.faults++;
}

static void write_over(struct random_sequence *random)
{
    uint32_t number = random_below(random, model.count);

    if (model.is_out[number] || model.is_damaged[number])
        return;
    block_at(number)[random_below(random, 4)] ^=
        (unsigned char)(1 + random_below(random, 255));
    model.is_damaged[number] = true;
}

static void compare(void)
{
    struct tally_slab_figures figures;

    for (uint32_t i = 0; i < model.count; i++) {
        for (uint32_t j = 0; model.is_out[i] && j < model.size; j++)
            assert_int_equal(block_at(i)[j], model.fill[i]);
    }
    assert_int_equal(tally_mem_slab_figures_get(&slab, &figures), 0);
    assert_int_equal(figures.unused, model.unused_count);
    assert_int_equal(figures.used, model.count - model.unused_count);
    assert_int_equal(figures.peak, model.peak);
    assert_int_equal(figures.refused, model.refused);
    assert_int_equal(figures.faults[0] + figures.faults[1] + figures.faults[2],
                     model.faults);
    assert_int_equal(faults_told, model.faults);
}

static void agrees_with_the_model(void **state)
{
    struct random_sequence random = { 4 };

    (void)state;
    tally_mem_slab_on_fault(on_fault);
    for (unsigned i = 0; i < OPERATIONS; i++) {
        uint32_t drawn = random_below(&random, 100);

        if (i % 1000 == 0)
            open_both(&random);
        if (drawn < 50)
            allocate(&random);
        else if (drawn < 92)
            give_back(&random);
        else if (drawn < 96)
            give_back_what_is_none(&random);
        else
            write_over(&random);
        compare();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_model),
    };

    return cmocka_run_group_tests_name("mem_slab_model", tests, NULL, NULL);
}
