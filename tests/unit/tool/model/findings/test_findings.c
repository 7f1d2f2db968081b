/* SPDX-License-Identifier: Apache-2.0 */
/* test_findings.c - untouched memory of a heap whose pages were read once */
#include "tool/model/findings/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tool/model/profile/profile_parts.h"

enum { MIB = 1 << 20, MS = 1000000 };

/* Of 20 MiB that were allocated, 4 are resident when pages are read, 2 s after
   the start. Return the bytes that are found untouched; 0: none. */
static int64_t untouched(unsigned allocated_ms)
{
    struct profile *profile = profile_create();
    const struct timeline_sample samples[] = {
        { .ns = 1, .total_bytes = MIB },
        { .ns = (uint64_t)allocated_ms * MS, .total_bytes = 20 * MIB },
        { .ns = (uint64_t)2000 * MS, .total_bytes = 20 * MIB },
    };
    struct findings findings;
    int64_t bytes = 0;

    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        timeline_add_sample(&profile->timeline, &samples[i]);
    profile_finish(profile);
    profile->duration_ns = (uint64_t)2000 * MS;
    profile->heap.alloc_bytes = profile->peak_bytes = 20 * MIB;
    profile->heap.live_bytes = 20 * MIB;
    profile->resident.is_known = true;
    profile->resident.latest.ns = (uint64_t)2000 * MS;
    profile->resident.latest.heap = 4 * MIB;
    profile->resident.latest.live_bytes = 20 * MIB;
    findings_find(&findings, profile);
    for (size_t i = 0; i < findings.count; i++) {
        if (strcmp(findings.found[i].kind, "untouched") == 0)
            bytes = findings.found[i].bytes;
    }
    profile_destroy(profile);
    return bytes;
}

static void memory_never_written_is_found(void **state)
{
    (void)state;
    assert_int_equal(untouched(100), 16 * MIB);
}

/* The program may still be filling what it allocated within half a second. */
static void new_memory_is_not(void **state)
{
    (void)state;
    assert_int_equal(untouched(1400), 16 * MIB);
    assert_int_equal(untouched(1600), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_never_written_is_found),
        cmocka_unit_test(new_memory_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
