/* SPDX-License-Identifier: Apache-2.0 */
/* test_budget.c - budget files, their errors, and the errors' positions */
#include "tool/model/budget/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int read_text(struct budget *budget, const char *text,
                     struct yaml_failure *failure)
{
    return budget_read(budget, "b.yaml",
                       fmemopen((void *)(uintptr_t)text, strlen(text), "r"),
                       failure);
}

static void refuse(const char *text, const char *where, const char *why)
{
    struct budget budget = { 0 };
    struct yaml_failure failure;

    assert_int_equal(read_text(&budget, text, &failure), -1);
    assert_string_equal(failure.where, where);
    assert_string_equal(failure.why, why);
    budget_close(&budget);
}

static void rules_are_of_programs(void **state)
{
    struct budget budget = { 0 };
    struct yaml_failure failure;
    const struct budget_entry *entry;
    const struct budget_rule *rule;
    size_t at = 0;

    (void)state;
    assert_int_equal(read_text(&budget,
                               "budgets:\n"
                               "  - program: ser*\n"
                               "    rules:\n"
                               "      - peak <= \"64 MiB\"\n"
                               "      - live \"operator new(int)\" <2KiB\n"
                               "      - growth temporary cache.c:* <= 1.5 %\n"
                               "    noise:\n"
                               "      - peak 1000.5 +- 2 of 5\n"
                               "rules: [ leaks = 0 ]\n",
                               &failure),
                     0);
    entry = budget_next(&budget, "/usr/bin/server", NULL, &at);
    assert_string_equal(entry->program, "ser*");
    assert_int_equal(entry->rule_count, 3);
    rule = entry->rules;
    assert_string_equal(rule[0].text, "peak <= \"64 MiB\"");
    assert_string_equal(rule[0].figure->name, "peak");
    assert_null(rule[0].pattern);
    assert_true(rule[0].bound == 64 << 20);
    assert_int_equal(rule[0].line, 4);
    assert_string_equal(rule[1].pattern, "operator new(int)");
    assert_int_equal(rule[1].relation, BUDGET_BELOW);
    assert_true(rule[1].bound == 2048);
    assert_true(rule[2].is_growth && rule[2].is_percent);
    assert_string_equal(rule[2].pattern, "cache.c:*");
    assert_true(rule[2].bound == 1.5);
    assert_int_equal(entry->noise_count, 1);
    assert_true(entry->noise[0].mean == 1000.5);
    assert_true(entry->noise[0].deviation == 2);
    assert_int_equal(entry->noise[0].runs, 5);
    entry = budget_next(&budget, "/usr/bin/server", NULL, &at);
    assert_null(entry->program);
    assert_int_equal(entry->rules[0].relation, BUDGET_EQUAL);
    assert_null(budget_next(&budget, "/usr/bin/server", NULL, &at));
    at = 0;
    entry = budget_next(&budget, "/usr/bin/client", NULL, &at);
    assert_null(entry->program);
    budget_close(&budget);
}

static void what_is_wrong_has_a_place(void **state)
{
    (void)state;
    refuse("rules:\n  - peek <= 1\n", "b.yaml:2:5", "unknown figure");
    refuse("rules:\n  - peak <= 1 XiB\n", "b.yaml:2:15",
           "the bound is not a number with a unit");
    refuse("rules:\n  - peak <=\n", "b.yaml:2:12", "the bound is missing");
    refuse("rules:\n  - peak <= 5 %\n", "b.yaml:2:16",
           "it is a percentage of itself");
    refuse("rules:\n  - blocks <= 5 KiB\n", "b.yaml:2:17",
           "the figure is in blocks, not bytes");
    refuse("rules:\n  - live <= 5 blocks\n", "b.yaml:2:15",
           "the figure is in bytes, not blocks");
    refuse("rules:\n  - live a b <= 5\n", "b.yaml:2:12", "expected <=, < or =");
    refuse("rules:\n  - live <= 5 MiB more\n", "b.yaml:2:19",
           "unexpected text after the bound");
    refuse("rules:\n  - resident main <= 5\n", "b.yaml:2:23",
           "resident memory is known of the whole program only");
    refuse("rules:\n  - live \"main <= 5\n", "b.yaml:2:10",
           "the pattern has no end");
    refuse("rules:\n  - [ live <= 5 ]\n", "b.yaml:2:5",
           "expected a line of text");
    refuse("rules: live <= 5\n", "b.yaml:1:8", "not a list");
    refuse("rule: [ live <= 5 ]\n", "b.yaml:1:1", "unknown key");
    refuse("budgets:\n  - budgets: []\n", "b.yaml:2:5", "unknown key");
    refuse("program: a\nprogram: b\n", "b.yaml:2:10",
           "a program is named once");
    refuse("noise:\n  - peak 5 +- x of 3\n", "b.yaml:2:15",
           "not in the form of tally check --learn");
    refuse("- a\n", "b.yaml:1:1", "expected a key");
    refuse("rules: []\n--- {}\n", "b.yaml:2:1", "unexpected second document");
    refuse("rules: [\n", "b.yaml:2:1", "not YAML");
    refuse("a: &a\n", "b.yaml:1:1", "unknown key");
    refuse("rules: [ *a ]\n", "b.yaml:1:10", "expected a line of text");
    refuse("rules: [ \"live\\0 <= 5\" ]\n", "b.yaml:1:10",
           "expected a line of text");
}

static void size_is_bounded(void **state)
{
    static char text[(1 << 20) + 2];

    (void)state;
    memset(text, '#', sizeof text - 1);
    refuse(text, "b.yaml", "larger than 1 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_of_programs),
        cmocka_unit_test(what_is_wrong_has_a_place),
        cmocka_unit_test(size_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
