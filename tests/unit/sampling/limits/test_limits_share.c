/* SPDX-License-Identifier: Apache-2.0 */
/* test_limits_share.c - a budget shared by several scopes */
#include "sampling/limits/limits_share.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_port.h"

static void what_is_drawn_never_exceeds_the_budget(void **state)
{
    struct limit_scope scope;
    struct limit_share *share;
    uint64_t drawn = 0, part;

    (void)state;
    share = limits_share_open(&scope, NULL, 1000000);
    assert_non_null(share);
    assert_int_equal(limits_share_draw(share, 1), 999999 / 256);
    assert_int_equal(limits_share_draw(share, 500000), 500000);
    drawn = 500000 + 999999 / 256;
    assert_int_equal(limits_share_drawn(share), drawn);
    while ((part = limits_share_draw(share, 1)) != 0)
        drawn += part;
    assert_int_equal(drawn, 999999); /* the byte that reaches the limit is not
                                        available */
    assert_true(limits_share_is_hit(share));
    limits_share_close(share, 0, drawn);
}

static void what_is_too_much_hits_it_for_good(void **state)
{
    struct limit_scope scope;
    struct limit_share *share = limits_share_open(&scope, NULL, 100);

    (void)state;
    assert_int_equal(limits_share_draw(share, 100), 0);
    assert_true(limits_share_is_hit(share));
    assert_int_equal(limits_share_draw(share, 1), 0);
    limits_share_close(share, 0, 0);
}

static void others_find_it_by_its_scope(void **state)
{
    struct limit_scope scope, wrong;
    struct limit_share *share = limits_share_open(&scope, NULL, 0);

    (void)state;
    assert_ptr_equal(limits_share_open(&wrong, &scope, 0), share);
    assert_int_equal(limits_share_draw(share, 1), 0);
    memset(&wrong, 0, sizeof wrong);
    assert_null(limits_share_open(&wrong, &wrong, 0));
    memset(&wrong, 0xa5, sizeof wrong);
    assert_null(limits_share_open(&wrong, &wrong, 0));
    limits_share_close(share, 0, 7);
    assert_int_equal(limits_share_used(share), 7);
    limits_share_close(share, 0, 3);
    assert_null(limits_share_open(&wrong, &scope, 0)); /* it has ended */
    assert_ptr_equal(limits_share_open(&wrong, NULL, 5), share); /* again */
    limits_share_close(share, 0, 0);
}

static struct limit_share *shared;

static void *draw_and_give_back(void *drawn)
{
    uint64_t sum = 0, part;

    for (int i = 0; i < 1000; i++) {
        struct limit_scope scope;

        part = limits_share_draw(shared, 10);
        sum += part;
        if (part > 3 && limits_share_open(&scope, drawn, 0) == shared) {
            limits_share_close(shared, part - 3, 3);
            sum -= part - 3;
        }
    }
    return (void *)(uintptr_t)sum;
}

static void threads_draw_at_once(void **state)
{
    struct limit_scope scope;
    pthread_t threads[4];
    uint64_t sum = 0;

    (void)state;
    shared = limits_share_open(&scope, NULL, 1000000);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, draw_and_give_back, &scope);
    for (int i = 0; i < 4; i++) {
        void *drawn;

        pthread_join(threads[i], &drawn);
        sum += (uintptr_t)drawn;
    }
    assert_int_equal(sum, 4 * 1000 * 3);
    assert_int_equal(limits_share_drawn(shared), sum);
    assert_int_equal(limits_share_used(shared), sum);
    limits_share_close(shared, 0, 0);
}

static int fresh(void **state)
{
    (void)state;
    fake_port_reset();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_drawn_never_exceeds_the_budget, fresh),
        cmocka_unit_test(what_is_too_much_hits_it_for_good),
        cmocka_unit_test(others_find_it_by_its_scope),
        cmocka_unit_test(threads_draw_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
