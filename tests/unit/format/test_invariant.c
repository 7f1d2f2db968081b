/* SPDX-License-Identifier: Apache-2.0 */
/* test_invariant.c - asserted with TALLY_INVARIANTS, otherwise not evaluated */
#include "format/invariant.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int evaluated;

static int is_so(int result)
{
    evaluated++;
    return result;
}

/* Return the signal that ends a child with this invariant; 0: none. */
static int end_of(int condition)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
        signal(SIGILL, SIG_DFL);
        signal(SIGTRAP, SIG_DFL);
        INVARIANT(T1, is_so(condition));
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void one_that_holds_does_nothing(void **state)
{
    (void)state;
    assert_int_equal(end_of(1), 0);
}

static void a_broken_one_ends_the_program_of_a_checked_build(void **state)
{
    int end = end_of(0);

    (void)state;
#ifdef TALLY_INVARIANTS
    assert_true(end == SIGILL || end == SIGTRAP);
#else
    assert_int_equal(end, 0);
#endif
}

static void a_release_does_not_evaluate_the_condition(void **state)
{
    (void)state;
    assert_int_equal(is_so(1), 1);
    assert_int_equal(evaluated, 1);
    INVARIANT(T1, is_so(1));
#ifdef TALLY_INVARIANTS
    assert_int_equal(evaluated, 2);
#else
    assert_int_equal(evaluated, 1);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_holds_does_nothing),
        cmocka_unit_test(a_broken_one_ends_the_program_of_a_checked_build),
        cmocka_unit_test(a_release_does_not_evaluate_the_condition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
