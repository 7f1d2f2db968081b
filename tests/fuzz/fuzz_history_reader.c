/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_history_reader.c - any bytes, as a ledger's history and as a report's
 * snapshot and series
 *
 * The first byte chooses the snapshot; the rest is the segment.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/history_reader.h"
#include "tests/fakes/fake_ledger.h"
#include "tool/model/sources/sources.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fake_ledger *create_ledger(const uint8_t *data, size_t size)
{
    struct fake_ledger *ledger =
        fake_ledger_create_large(1, 4 * LEDGER_FIRST_SEGMENT + size);

    for (unsigned i = 0; i < 4; i++)
        fake_ledger_counter(
            ledger, fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 64 + i),
            0)
            ->alloc_blocks = i;
    memcpy(fake_ledger_add_history(ledger, size), data, size);
    /* It ends at the end of its bytes. */
    ledger->directory[fake_ledger_entry(ledger, LEDGER_SEGMENT_HISTORY, 0)]
        .size = size;
    return ledger;
}

static void check_series(const struct profile *profile)
{
    const struct history *history = &profile->history;
    const uint32_t numbers[] = { 0, UINT32_MAX, 1, 0 };
    struct history_series series = { history, numbers, NULL, NULL };

    series.bytes = calloc(2 * history->count + 1, sizeof *series.bytes);
    series.blocks = calloc(2 * history->count + 1, sizeof *series.blocks);
    assert(series.bytes != NULL && series.blocks != NULL);
    assert(profile->site_count <= 4);
    history_series(&series, 2);
    free(series.bytes);
    free(series.blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct history_wish wishes[] = {
        { HISTORY_NONE, 0 },    { HISTORY_SINCE_START, 500 },
        { HISTORY_DATE, 3000 }, { HISTORY_PEAK, 0 },
        { HISTORY_END, 0 },
    };
    struct fake_ledger *ledger;
    struct profile *profile;
    struct source_failure failure;
    unsigned char *copy;

    if (size == 0)
        return 0;
    ledger = create_ledger(data + 1, size - 1);
    profile = profile_create();
    profile->history.wish =
        wishes[data[0] % (sizeof wishes / sizeof wishes[0])];
    /* The copy ends at the end of its heap block, so that ASan detects
       overruns. */
    copy = malloc(ledger->size);
    assert(copy != NULL);
    memcpy(copy, ledger->bytes, ledger->size);
    if (load_ledger(copy, ledger->size, profile, &failure) == 0) {
        profile_finish(profile);
        check_series(profile);
    }
    free(copy);
    profile_destroy(profile);
    fake_ledger_destroy(ledger);
    return 0;
}
