/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_ledger.h - ledgers built by hand, for tests of readers
 *
 * Tests can read and damage everything: `header` and the pointers returned
 * below point into `bytes`. They stay valid, since the buffer never moves.
 *
 *     struct fake_ledger *ledger = fake_ledger_create(2);
 *     uint32_t module =
 *         fake_ledger_add_module(ledger, "/bin/x", "abc", 0x1000);
 *     uint32_t site = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, module,
 *                                          0x1139);
 *
 *     fake_ledger_counter(ledger, site, 1)->alloc_blocks = 3;
 *     read(ledger->bytes, ledger->size);
 *     fake_ledger_destroy(ledger);
 *
 * A failure of the builder itself aborts the test program.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/ledger/counts_layout.h"
#include "format/ledger/ledger_layout.h"
#include "format/ledger/segments_layout.h"

struct fake_ledger {
    unsigned char *bytes;
    size_t size; /* up to the end of the last segment */
    struct ledger_header *header;
    struct ledger_directory_entry *directory;
    uint32_t frame_count;
    size_t capacity;
};

/* An ended process 4242 with program "/bin/fake" and no sites. */
struct fake_ledger *fake_ledger_create(uint32_t shard_count);

/* Like fake_ledger_create(), with room for more than the usual 8 MiB. */
struct fake_ledger *fake_ledger_create_large(uint32_t shard_count,
                                             size_t capacity);
void fake_ledger_destroy(struct fake_ledger *ledger);

/* Store a text in the ledger. */
struct ledger_text fake_ledger_text(struct fake_ledger *ledger,
                                    const void *bytes, size_t length);

/* Add an object; return its id or index. `build_id` "" means none. */
uint32_t fake_ledger_add_module(struct fake_ledger *ledger, const char *path,
                                const char *build_id, uint64_t bias);
uint32_t fake_ledger_add_site(struct fake_ledger *ledger, uint32_t kind,
                              uint32_t module, uint64_t address);
uint32_t fake_ledger_add_notice(struct fake_ledger *ledger, uint32_t code,
                                const char *text);

/* Add the only region, with its segment. */
struct ledger_region *fake_ledger_add_region(struct fake_ledger *ledger,
                                             const char *name);

/* Add a frame, with a segment for the first one. */
uint32_t fake_ledger_add_frame(struct fake_ledger *ledger, uint32_t parent,
                               uint32_t module, uint64_t address);
struct ledger_frame *fake_ledger_frame(struct fake_ledger *ledger,
                                       uint32_t index);

/* Return a site's peak, and its temporary blocks in one shard; create segments
   as needed. */
struct ledger_peak *fake_ledger_peak(struct fake_ledger *ledger, uint32_t site);
struct ledger_map_peak *fake_ledger_map_peak(struct fake_ledger *ledger,
                                             uint32_t site);
uint64_t *fake_ledger_temporary(struct fake_ledger *ledger, uint32_t site,
                                uint32_t shard);
uint64_t *fake_ledger_sizes(struct fake_ledger *ledger, uint32_t shard);

/* Return a site's estimates, in a ledger that is sampled from now on with one
   sample in 1,000 bytes. */
struct ledger_lifetimes *fake_ledger_lifetimes(struct fake_ledger *ledger,
                                               uint32_t site);

/* Return a site's resident pages; number 0 is for pages without a block. */
struct ledger_residency *fake_ledger_residency(struct fake_ledger *ledger,
                                               uint32_t site);
/* Return the bytes of a history, initially zero. */
unsigned char *fake_ledger_add_history(struct fake_ledger *ledger, size_t size);

/* Store a data point in this slot of the timeline, which is created if
   needed. */
void fake_ledger_add_sample(struct fake_ledger *ledger, uint32_t slot,
                            struct ledger_sample sample);

struct ledger_site *fake_ledger_site(struct fake_ledger *ledger, uint32_t id);
struct ledger_counter *fake_ledger_counter(struct fake_ledger *ledger,
                                           uint32_t id, uint32_t shard);
struct ledger_module *fake_ledger_module(struct fake_ledger *ledger,
                                         uint32_t index);
struct ledger_notice *fake_ledger_notice(struct fake_ledger *ledger,
                                         uint32_t index);

/* Return the number of the directory entry of this kind and index. */
uint32_t fake_ledger_entry(struct fake_ledger *ledger, uint32_t kind,
                           uint32_t index);

/* Write the bytes to `path`. */
void fake_ledger_save(const struct fake_ledger *ledger, const char *path);
