/* SPDX-License-Identifier: Apache-2.0 */
/* test_number.c - numbers in readable form */
#include "tool/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void digits_come_in_threes(void **state)
{
    char out[NUMBER_SIZE];

    (void)state;
    assert_string_equal(number_signed(out, 0), "0");
    assert_string_equal(number_signed(out, 999), "999");
    assert_string_equal(number_signed(out, 1000), "1,000");
    assert_string_equal(number_signed(out, -1234567), "-1,234,567");
    assert_string_equal(number_signed(out, -100), "-100");
    assert_string_equal(number_signed(out, INT64_MIN),
                        "-9,223,372,036,854,775,808");
    assert_string_equal(number_unsigned(out, UINT64_MAX),
                        "18,446,744,073,709,551,615");
}

static void addresses_are_hexadecimal(void **state)
{
    (void)state;
    assert_string_equal(ADDRESS(0), "0x0");
    assert_string_equal(ADDRESS(UINT64_MAX), "0xffffffffffffffff");
}

static void growth_has_its_sign(void **state)
{
    (void)state;
    assert_string_equal(NUMBER_GROWTH(1234), "+1,234");
    assert_string_equal(NUMBER_GROWTH(0), "0");
    assert_string_equal(NUMBER_GROWTH(INT64_MIN), "-9,223,372,036,854,775,808");
}

static void bytes_have_units_of_1024(void **state)
{
    char out[NUMBER_SIZE];

    (void)state;
    assert_string_equal(number_bytes(out, 0), "0 B");
    assert_string_equal(number_bytes(out, 1023), "1023 B");
    assert_string_equal(number_bytes(out, 1024), "1.0 KiB");
    assert_string_equal(number_bytes(out, 1536), "1.5 KiB");
    assert_string_equal(number_bytes(out, -1048576), "-1.0 MiB");
    assert_string_equal(number_bytes(out, 1048575), "1.0 MiB");
    assert_string_equal(number_bytes(out, INT64_MAX), "8.0 EiB");
}

static void sentences_fit_their_count(void **state)
{
    static const char sentence[] = "child[|ren] that [is|are] lost: [it|they]";
    char out[40], little[8];

    (void)state;
    assert_string_equal(number_sentence(out, sizeof out, sentence, 1),
                        "child that is lost: it");
    assert_string_equal(number_sentence(out, sizeof out, sentence, 0),
                        "children that are lost: they");
    assert_string_equal(number_sentence(out, sizeof out, sentence, 2),
                        "children that are lost: they");
    assert_string_equal(number_sentence(little, sizeof little, sentence, 2),
                        "childre");
    assert_string_equal(number_plural(1), "");
    assert_string_equal(number_plural(0), "s");
}

static void sizes_have_units_of_1024(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } rows[] = {
        { "0", 0 },
        { "4096", 4096 },
        { "7B", 7 },
        { "64K", 65536 },
        { "64k", 65536 },
        { "64KB", 65536 },
        { "64 KiB", 65536 },
        { "1.5M", 3 << 19 },
        { "2GiB", UINT64_C(2) << 30 },
        { "1T", UINT64_C(1) << 40 },
        { "0.1G", 107374182 },
        { "18446744073709551615", UINT64_MAX },
    };
    static const char *const wrong[] = {
        "",
        "K",
        "-1",
        "1X",
        "1KK",
        "1iB",
        "1.",
        ".5M",
        "1 K ",
        "0x10",
        "18446744073709551616",
        "17179869184G",
    };
    uint64_t bytes = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(parse_bytes(rows[i].text, &bytes));
        assert_int_equal(bytes, rows[i].bytes);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(parse_bytes(wrong[i], &bytes));
}

static void counts_have_none(void **state)
{
    uint64_t count = 0;

    (void)state;
    assert_true(parse_count("12", 12, &count));
    assert_int_equal(count, 12);
    assert_false(parse_count("13", 12, &count));
    assert_false(parse_count("1K", 5000, &count));
    assert_false(parse_count("", 12, &count));
}

static void durations_have_a_unit(void **state)
{
    static const char *const wrong[] = {
        "",
        "s",
        "-1s",
        " 1s",
        "1w",
        "1ss",
        "1.",
        "1.s",
        ".5s",
        "1.5.5s",
        "1  s",
        "1 ",
        "1e3s",
        "18446744073709551616ns",
        "0x10s",
        "infs",
        "99999999999999999999s",
        "99999999999h",
        "5124095h",
    };
    uint64_t ns = 0;

    (void)state;
    assert_true(parse_duration("250ms", &ns));
    assert_int_equal(ns, 250000000);
    assert_true(parse_duration("10s", &ns));
    assert_int_equal(ns, 10000000000);
    assert_true(parse_duration("1.5s", &ns));
    assert_int_equal(ns, 1500000000);
    assert_true(parse_duration("5m", &ns));
    assert_int_equal(ns, 300000000000);
    assert_true(parse_duration("2h", &ns));
    assert_int_equal(ns, 7200000000000);
    assert_true(parse_duration("10", &ns));
    assert_int_equal(ns, 10000000000);
    assert_true(parse_duration("1.5 min", &ns));
    assert_int_equal(ns, 90000000000);
    assert_true(parse_duration("0.3", &ns));
    assert_int_equal(ns, 300000000);
    assert_true(parse_duration("1d", &ns));
    assert_int_equal(ns, 86400000000000);
    assert_true(parse_duration("15us", &ns));
    assert_int_equal(ns, 15000);
    assert_true(parse_duration("7ns", &ns));
    assert_int_equal(ns, 7);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(parse_duration(wrong[i], &ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_come_in_threes),
        cmocka_unit_test(addresses_are_hexadecimal),
        cmocka_unit_test(growth_has_its_sign),
        cmocka_unit_test(bytes_have_units_of_1024),
        cmocka_unit_test(sentences_fit_their_count),
        cmocka_unit_test(sizes_have_units_of_1024),
        cmocka_unit_test(counts_have_none),
        cmocka_unit_test(durations_have_a_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
