/* SPDX-License-Identifier: Apache-2.0 */
/* counters_reader.c - words behind the counters, and of sizes; see
   ledger_reader.h */
#include <string.h>

#include "format/ledger/ledger_reader.h"

/* Sum the word at `at` over all shards. */
static uint64_t sum_words(const struct ledger_reader *reader, uint64_t at,
                          size_t stride)
{
    uint64_t sum = 0;

    for (uint32_t shard = 0; shard < reader->shard_count; shard++) {
        if (ledger_reader_has_shard(reader, shard))
            sum += read_u64le(reader->bytes + at + shard * stride);
    }
    return sum;
}

enum { ROW = LEDGER_SITES_PER_SEGMENT * sizeof(uint64_t) };

/* Find a site's word in the first row after the counters. */
static int find_rows(struct ledger_reader *reader, uint32_t site, uint64_t *at)
{
    struct ledger_segment segment;
    int found =
        ledger_reader_has_temporary(reader)
            ? ledger_reader_segment(reader, LEDGER_SEGMENT_SITES,
                                    site / LEDGER_SITES_PER_SEGMENT, &segment)
            : 0;

    if (found > 0)
        *at = segment.offset +
              LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_site) +
              (size_t)reader->shard_count * LEDGER_PAGE +
              site % LEDGER_SITES_PER_SEGMENT * sizeof(uint64_t);
    return found;
}

int ledger_reader_temporary(struct ledger_reader *reader, uint32_t site,
                            uint64_t *blocks)
{
    uint64_t at;
    int found = find_rows(reader, site, &at);

    *blocks = found > 0 ? sum_words(reader, at, ROW) : 0;
    return found;
}

int ledger_reader_grown(struct ledger_reader *reader, uint32_t site,
                        uint64_t *blocks, uint64_t *bytes)
{
    uint64_t at;
    int found =
        ledger_reader_has_grown(reader) ? find_rows(reader, site, &at) : 0;

    *blocks = *bytes = 0;
    if (found <= 0)
        return found;
    at += (uint64_t)reader->shard_count * ROW;
    *blocks = read_u64le(reader->bytes + at);
    *bytes = read_u64le(reader->bytes + at + ROW);
    return 1;
}

int ledger_reader_sizes(struct ledger_reader *reader,
                        uint64_t sizes[LEDGER_SIZE_CLASSES])
{
    struct ledger_segment segment;
    int found =
        ledger_reader_segment(reader, LEDGER_SEGMENT_SIZES, 0, &segment);

    memset(sizes, 0, LEDGER_SIZE_CLASSES * sizeof *sizes);
    for (uint32_t i = 0; found > 0 && i < LEDGER_SIZE_CLASSES; i++)
        sizes[i] = sum_words(reader, segment.offset + i * sizeof *sizes,
                             LEDGER_SIZE_CLASSES * sizeof *sizes);
    return found;
}
