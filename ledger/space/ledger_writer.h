/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_writer.h - the records of this process's ledger
 *
 * Each function may be called from any thread and any signal handler, takes no
 * lock, and stores the word that makes a record valid last.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/counts_layout.h"
#include "format/ledger/segments_layout.h"
#include "tally/hook.h"

/* Copy a text into the ledger; length 0: there is no space. */
struct ledger_text ledger_write_text(const char *text, size_t length);

/*
 * Sites have ids that count from 1. A site's place says where its counters lie:
 * 32 times the place is the offset of its counter in shard 0. Blocks refer to a
 * site by its place, or by its id where a reference has only 16 bits.
 */

/* Return a new site's id, or 0 if there is no space. */
uint32_t ledger_write_site(enum ledger_site_kind kind, uintptr_t address,
                           uint32_t module);

/* Return the id of a site that the source names, by a tag at `address`, or
   0. */
uint32_t ledger_write_tag(const struct tally_place *place, uintptr_t address,
                          uint32_t module);

/*
 * Return the id of a new stack: a call in a function called from `frame`; or 0.
 * 2,048 sites are reserved for single callers, whose frame is LEDGER_FRAME_CUT.
 */
uint32_t ledger_write_stack(enum ledger_site_kind kind, uintptr_t address,
                            uint32_t module, uint32_t frame);

/* Return the last id handed out. */
uint32_t ledger_site_count(void);

struct ledger_site *ledger_site_at(uint32_t id);
uint32_t ledger_place_of(uint32_t id);

/* Return the site of a reference, or NULL; its id, or 0. */
struct ledger_site *ledger_site_of(uint32_t reference);
uint32_t ledger_id_of(uint32_t reference);

/* Return the counter in shard 0, or NULL if it cannot be mapped. */
struct ledger_counter *ledger_counter_of(uint32_t reference);
struct ledger_counter *ledger_counter_at(uint32_t id);

/* Return a new frame's index, or 0; a frame, or NULL. */
uint32_t ledger_write_frame(uint32_t parent, uintptr_t address,
                            uint32_t module);
struct ledger_frame *ledger_frame_at(uint32_t index);

/* Return a shard's counts of allocations by ledger_size_class(), and a site's
   bytes at the peak; NULL: no space. */
uint64_t *ledger_sizes_at(uint32_t shard);
struct ledger_peak *ledger_peak_at(uint32_t site);
struct ledger_map_peak *ledger_map_peak_at(uint32_t site);

/* blocks and bytes that a sampled block stands for */
struct sample_weight {
    uint64_t blocks;
    uint64_t bytes;
    double blocks_variance;
    double bytes_variance;
    uint64_t size; /* of the block itself, in bytes */
};

/* Return the id of a site by its reference; 0: it has no sums over samples. */
uint32_t ledger_sampled_id_of(uint32_t reference);

/* Add one sample to a sum of a site. `which` is an enum ledger_life, or
   LEDGER_LIFE_FREED and a class. Return false if there is no space. */
bool ledger_add_sample(uint32_t site, unsigned which,
                       const struct sample_weight *weight);

/* Add an inherited sample to the variances of a site's live inherited blocks;
   `sign` -1: take it away, as it was freed. */
void ledger_add_inherited(uint32_t site, const struct sample_weight *weight,
                          int sign);

/* Return true if all sites of its segment are the heap's and none inherited. */
bool ledger_peaks_are_plain(uint32_t site);

/* Return a new module's index, or 0. `module->state` is stored last. */
uint32_t ledger_write_module(const struct ledger_module *module);
struct ledger_module *ledger_module_at(uint32_t index);

/*
 * Count this notice; notices with the same code and text are one record. Return
 * its `times`, so that a caller whose action failed can take it back, or NULL
 * if there was no space.
 */
uint32_t *ledger_write_notice(enum ledger_notice_code code, const char *text);

/* Write a new region, or rename `region` if it is not NULL. NULL: no space. */
struct ledger_region *ledger_write_region(struct ledger_region *region,
                                          enum ledger_region_kind kind,
                                          uintptr_t address, const char *name);

struct ledger_header;

/* For ledger_space_fork(): take over the records written before the fork.
   Return false if there is no space. */
bool ledger_writer_inherit(struct ledger_header *header);
