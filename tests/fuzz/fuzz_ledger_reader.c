/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ledger_reader.c - any bytes, through the reader and the model
 *
 * A ledger is 64 KiB before its first segment, most of it zeros, which a fuzzer
 * would never get past. So an input is a list of patches to an empty ledger,
 *
 *     offset u32, length u8, bytes
 *
 * unless it begins like a ledger; then it is used unchanged.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/bytes.h"
#include "format/ledger/ledger_reader.h"
#include "tests/fakes/fake_ledger.h"
#include "tool/model/names/call_tree.h"
#include "tool/model/names/site_choice.h"
#include "tool/model/sources/sources.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Do all that a report does with stacks. */
static void name_and_sum(struct profile *profile)
{
    struct site_names *names =
        site_names_create(profile, NULL, DEMANGLE_WITHOUT_ARGUMENTS);
    struct call_tree tree = { .arena = profile->arena, .profile = profile };
    struct call_totals totals;

    if (profile->has_stacks) {
        tree.names = frame_names_create(profile, names);
        call_tree_add_from_roots(&tree);
        call_totals_open(&totals, &tree, MEASURE_LIVE_BYTES);
        site_sum(profile, names, &(struct site_sum){ .by = SITE_SUM_LABEL });
    }
}

/* The reader's output is as bounded as its work; an input that makes it do more
   than its size allows is a failure. */
static void check_work(const unsigned char *bytes, size_t size)
{
    const uint64_t limit = ledger_reader_work_limit(size);
    struct ledger_reader reader;
    struct ledger_cursor sites = { 0 }, notices = { 0 }, regions = { 0 };
    struct ledger_site_view site;
    struct ledger_notice_view notice;
    struct ledger_region_view region;
    struct ledger_module_view module;
    uint64_t given = 0;

    if (ledger_reader_open(&reader, bytes, size) != LEDGER_E_OK)
        return;
    while (ledger_reader_next_site(&reader, &sites, &site) > 0)
        given += 1 + site.place.length;
    while (ledger_reader_next_notice(&reader, &notices, &notice) > 0)
        given += 1 + notice.text.length;
    while (ledger_reader_next_region(&reader, &regions, &region) > 0)
        given += 1 + region.name.length;
    for (uint32_t i = 0; i < ledger_reader_module_limit(&reader); i++) {
        if (ledger_reader_module(&reader, i, &module) > 0)
            given += 1 + module.path.length;
        assert(reader.work <= limit);
    }
    assert(given <= limit && reader.work <= limit);
}

static void load_and_forget(const unsigned char *bytes, size_t size)
{
    struct profile *profile = profile_create();
    struct source_failure failure;

    if (profile == NULL)
        return;
    check_work(bytes, size);
    if (load_ledger(bytes, size, profile, &failure) == 0) {
        if (size % 2 != 0) /* to run both paths */
            (void)load_ledger_earlier(bytes, size, profile, &failure);
        profile_finish(profile);
        name_and_sum(profile);
    }
    profile_destroy(profile);
}

static struct fake_ledger *create_small_ledger(void)
{
    struct fake_ledger *ledger = fake_ledger_create(1);
    uint32_t module = fake_ledger_add_module(ledger, "/bin/fake", "id", 4096);
    uint32_t site =
        fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, module, 0x1139);

    fake_ledger_counter(ledger, site, 0)->alloc_blocks = 1;
    fake_ledger_add_notice(ledger, LEDGER_NOTICE_deepbind, "x");
    fake_ledger_add_sample(ledger, 0, (struct ledger_sample){ 1, 2, 3, 4 });
    fake_ledger_site(ledger, site)->frame = fake_ledger_add_frame(
        ledger, fake_ledger_add_frame(ledger, 0, module, 0x1200), module,
        0x1300);
    *fake_ledger_peak(ledger, site) = (struct ledger_peak){ 1, 10 };
    *fake_ledger_temporary(ledger, site, 0) = 1;
    ledger->header->peak_bytes = 10;
    fake_ledger_lifetimes(ledger, site)->sums[LEDGER_LIFE_ALLOCATED] =
        (struct ledger_estimate){ 1, 1, 10, 1, 0, 0 };
    *fake_ledger_residency(ledger, site) =
        (struct ledger_residency){ .resident = 4096, .used = 10 };
    ledger->header->resident[0] =
        (struct ledger_resident){ .ns = 5, .heap = 9 };
    return ledger;
}

static void apply_patches(unsigned char *bytes, size_t capacity,
                          const uint8_t *data, size_t size)
{
    while (size > 5) {
        size_t offset = read_u32le(data) % capacity;
        size_t length = data[4];

        data += 5;
        size -= 5;
        if (length > size)
            length = size;
        if (length > capacity - offset)
            length = capacity - offset;
        memcpy(bytes + offset, data, length);
        data += length;
        size -= length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fake_ledger *small_ledger; /* created once: it is slow */
    unsigned char *copy;

    if (is_ledger(data, size)) {
        load_and_forget(data, size);
        return 0;
    }
    if (small_ledger == NULL)
        small_ledger = create_small_ledger();
    /* The copy ends at the end of its heap block, so that ASan detects
       overruns. */
    copy = malloc(small_ledger->size);
    if (copy == NULL)
        return 0;
    memcpy(copy, small_ledger->bytes, small_ledger->size);
    apply_patches(copy, small_ledger->size, data, size);
    load_and_forget(copy, small_ledger->size);
    free(copy);
    return 0;
}
