/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ledger_damage.c - a small ledger, damaged at every byte and truncated
 * anywhere
 *
 * Sanitizers check the reads; without them, the test is that nothing crashes. A
 * damaged ledger may load: most of its bytes may have any value.
 */
#include "tool/model/sources/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger.h"

static struct fake_ledger *create_full_ledger(void)
{
    struct fake_ledger *ledger = fake_ledger_create(1);
    uint32_t module = fake_ledger_add_module(ledger, "/bin/fake", "id", 4096);

    uint32_t site =
        fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, module, 0x1139);

    fake_ledger_add_site(ledger, LEDGER_SITE_MAP, 0, 0x1140);
    fake_ledger_add_notice(ledger, LEDGER_NOTICE_deepbind, "x");
    fake_ledger_site(ledger, site)->frame = fake_ledger_add_frame(
        ledger, fake_ledger_add_frame(ledger, 0, module, 0x1200), module,
        0x1300);
    fake_ledger_peak(ledger, site)->bytes = 10;
    *fake_ledger_temporary(ledger, site, 0) = 1;
    return ledger;
}

static int load(const unsigned char *bytes, size_t size)
{
    struct profile *profile = profile_create();
    struct source_failure failure = { 0 };
    int error = load_ledger(bytes, size, profile, &failure);

    if (error == 0) {
        profile_finish(profile);
    } else {
        assert_non_null(failure.why);
        assert_non_null(failure.advice);
    }
    profile_destroy(profile);
    return error;
}

/* Load a copy that ends at the end of its heap block. */
static int load_cut(const struct fake_ledger *ledger, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    unsigned char *end_aligned = copy + 1; /* any alignment will do */
    int error;

    memcpy(end_aligned, ledger->bytes, size);
    error = load(end_aligned, size);
    free(copy);
    return error;
}

/* The rest of a large segment is like its beginning. */
static bool is_worth_spoiling(const struct fake_ledger *ledger, size_t i)
{
    for (uint32_t j = 0; j < ledger->header->directory_used; j++) {
        const struct ledger_directory_entry *entry = &ledger->directory[j];

        if (entry->kind >= LEDGER_SEGMENT_FRAMES && i > entry->offset + 128 &&
            i < entry->offset + entry->size)
            return false;
    }
    return true;
}

static void no_spoilt_byte_crashes_the_reader(void **state)
{
    /* Zeros, which are most of a ledger, are damaged in one way only. */
    static const unsigned char masks[] = { 0xff, 0x01, 0x80 };
    struct fake_ledger *ledger = create_full_ledger();
    unsigned refused = 0;

    (void)state;
    assert_int_equal(load(ledger->bytes, ledger->size), 0);
    for (size_t i = 0; i < ledger->size; i++) {
        unsigned char sound = ledger->bytes[i];

        if (!is_worth_spoiling(ledger, i))
            continue;
        for (size_t mask = 0; mask < (sound == 0 ? 1 : sizeof masks); mask++) {
            ledger->bytes[i] = sound ^ masks[mask];
            if (load(ledger->bytes, ledger->size) < 0)
                refused++;
        }
        ledger->bytes[i] = sound;
    }
    assert_true(refused > 100); /* magic, version, order, directory, ... */
    assert_int_equal(load(ledger->bytes, ledger->size), 0);
    fake_ledger_destroy(ledger);
}

static void no_cut_ledger_loads(void **state)
{
    struct fake_ledger *ledger = create_full_ledger();

    (void)state;
    for (size_t size = 0; size < ledger->size; size += size < 300 ? 1 : 97)
        assert_int_equal(load_cut(ledger, size), -1);
    fake_ledger_destroy(ledger);
}

/* The header agrees with the truncation, so that only the directory shows
   it. */
static void no_segment_is_read_beyond_the_end(void **state)
{
    struct fake_ledger *ledger = create_full_ledger();

    (void)state;
    for (size_t size = LEDGER_FIRST_SEGMENT; size < ledger->size; size += 97) {
        ledger->header->used_bytes = size;
        assert_int_equal(load_cut(ledger, size), -1);
    }
    fake_ledger_destroy(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_spoilt_byte_crashes_the_reader),
        cmocka_unit_test(no_cut_ledger_loads),
        cmocka_unit_test(no_segment_is_read_beyond_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
