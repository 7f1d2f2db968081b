/* SPDX-License-Identifier: Apache-2.0 */
/* test_glob.c - names that match a glob, in time proportional to both
   lengths */
#include "tool/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void all_of_the_text_is_like_it(void **state)
{
    (void)state;
    assert_true(glob_matches("", ""));
    assert_true(glob_matches("*", ""));
    assert_true(glob_matches("parse_*", "parse_row"));
    assert_true(glob_matches("*cache.c:*", "src/cache.c:12"));
    assert_true(glob_matches("a?c", "abc"));
    assert_true(glob_matches("*ab*ab", "abxabab"));
    assert_false(glob_matches("", "a"));
    assert_false(glob_matches("?", ""));
    assert_false(glob_matches("parse", "parse_row"));
    assert_false(glob_matches("*b", "abc"));
    assert_true(glob_matches("[a]", "[a]"));
}

static void many_stars_take_no_time(void **state)
{
    char text[4096], glob[1025];

    (void)state;
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    for (size_t i = 0; i < 1024; i += 2) {
        glob[i] = '*';
        glob[i + 1] = 'a';
    }
    strcpy(&glob[1022], "*b");
    assert_false(glob_matches(glob, text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_the_text_is_like_it),
        cmocka_unit_test(many_stars_take_no_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
