/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_residency.c - any bytes, as the shadow and the page map of a process
 *
 * The process is a struct with fixed offsets. An input is a list of patches to
 * it,
 *
 *     offset u16, length u8, bytes
 *
 * then the pages are charged to sites. Besides not crashing:
 *
 *   R1  the sum of charges equals the resident bytes; the same holds for
 *       swapped bytes
 *   R2  no site is charged less than its bytes, or could free more than there
 *       are
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/bytes.h"
#include "tests/fakes/fake_ledger.h"
#include "tool/session/sampling/sampling.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REGIONS = 4, WORDS = 2048, PAGES = 1536, RANGES = 3, SITES = 3 };

#define SHADOW UINT64_C(0x10000000)
#define LEAF   UINT64_C(0x20000000) /* for all regions, repeated */
#define HEAP   UINT64_C(0x40000000)

/* All of it may be patched. */
static struct process {
    uint32_t claims[REGIONS]; /* of the first slots */
    uint32_t leaves[REGIONS];
    uint32_t form[3];           /* granule, compressed, wide */
    uint16_t ranges[RANGES][2]; /* pages to skip, pages */
    uint8_t huge[RANGES];
    uint8_t has_shared[RANGES];
    uint8_t page_map[PAGES / 8]; /* top bits of words, for 8 pages each */
    uint32_t words[WORDS];
} process;

static struct ledger_shadow shadow;

static uint64_t page_word(uint64_t page)
{
    uint64_t at = page - HEAP / PAGE_BYTES;

    return at < PAGES ? (uint64_t)process.page_map[at / 8] << 56
                      : PAGE_IS_PRESENT | PAGE_IS_OURS;
}

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
    (void)context;
    /* A leaf may point there as well. */
    if (address == SHADOW && size == sizeof shadow) {
        memcpy(to, &shadow, size);
        return true;
    }
    if (address < LEAF)
        return false;
    for (size_t i = 0; i < size; i += sizeof process.words)
        memcpy((char *)to + i, process.words,
               size - i < sizeof process.words ? size - i
                                               : sizeof process.words);
    return true;
}

static bool read_pages(void *context, uint64_t page, size_t count,
                       uint64_t *words)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        words[i] = page_word(page + i);
    return true;
}

static const struct process_view view = { read_memory, read_pages, NULL };

static void apply(const uint8_t *data, size_t size)
{
    while (size >= 3) {
        size_t offset = read_u16le(data), length = data[2];

        data += 3;
        size -= 3;
        if (length > size)
            length = size;
        for (size_t i = 0; i < length && offset + i < sizeof process; i++)
            ((uint8_t *)&process)[offset + i] = data[i];
        data += length;
        size -= length;
    }
}

static void make_shadow(void)
{
    memset(&shadow, 0, sizeof shadow);
    for (size_t i = 0; i < REGIONS; i++) {
        shadow.claims[i] = process.claims[i];
        shadow.slots[i].leaf = (uint64_t)process.leaves[i] << 8;
    }
    shadow.granule_log2 = process.form[0];
    shadow.is_compressed = process.form[1];
    shadow.is_wide = process.form[2];
}

/* In ascending order, as reported by the kernel; resident and swapped bytes. */
static size_t make_ranges(struct heap_range *ranges, uint64_t *resident,
                          uint64_t *swapped)
{
    uint64_t page = HEAP / PAGE_BYTES;
    size_t count = 0;

    *resident = *swapped = 0;
    for (size_t i = 0; i < RANGES; i++) {
        struct heap_range *range = &ranges[count];

        page += process.ranges[i][0];
        range->start = page * PAGE_BYTES;
        range->huge = (uint64_t)process.huge[i] << 20;
        range->has_shared = process.has_shared[i] != 0;
        for (size_t k = 0; k < process.ranges[i][1]; k++, page++) {
            uint64_t word = page_word(page);

            if ((word & PAGE_IS_PRESENT) != 0 &&
                ((word & PAGE_IS_OURS) != 0 || range->has_shared))
                *resident += PAGE_BYTES;
            else if ((word & PAGE_IS_SWAPPED) != 0)
                *swapped += PAGE_BYTES;
        }
        range->end = page * PAGE_BYTES;
        count += range->start != range->end;
    }
    return count;
}

static void check(const struct residency *found, uint64_t resident,
                  uint64_t swapped)
{
    uint64_t all = resident;

    for (size_t i = 0; i < found->count; i++) {
        const struct ledger_residency *site = &found->sites[i];

        assert(site->resident <= resident && site->swapped <= swapped); /* R1 */
        resident -= site->resident;
        swapped -= site->swapped;
        assert(site->used <= site->resident); /* R2 */
        assert(i == 0 || site->alone <= all);
        assert(site->shared <= site->resident && site->huge <= site->resident);
    }
    assert(resident == 0 && swapped == 0); /* R1 */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fake_ledger *ledger = fake_ledger_create(1);
    struct heap_range ranges[RANGES];
    struct ledger_map map = { 0 };
    uint64_t map_bytes = PAGE_BYTES;
    struct heap_ranges heap = { ranges, 0, { &map, 1, &map_bytes, true } };
    struct ledger_snapshot snapshot = { .fd = -1 };
    struct residency found;
    uint64_t resident, swapped;

    memset(&process, 0, sizeof process);
    apply(data, size);
    make_shadow();
    if (size >= sizeof map.site)
        memcpy(&map.site, data + size - sizeof map.site, sizeof map.site);
    heap.count = make_ranges(ranges, &resident, &swapped);
    for (uint32_t i = 0; i < SITES; i++)
        fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1000 + i);
    ledger->header->shadow = SHADOW;
    snapshot.bytes = ledger->bytes;
    snapshot.size = ledger->size;
    if (residency_find(&view, &heap, &snapshot, &found)) {
        assert(found.count == SITES + 1);
        check(&found, resident, swapped);
        free(found.sites);
    }
    fake_ledger_destroy(ledger);
    return 0;
}
