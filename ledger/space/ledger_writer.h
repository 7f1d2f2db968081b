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
#include "format/ledger/lifetimes_layout.h"
#include "format/ledger/modules_layout.h"
#include "format/ledger/regions_layout.h"
#include "format/ledger/sites_layout.h"
#include "tally/hook.h"

/* Bytes for a text, copied. length 0 when there is no room. */
struct ledger_text ledger_write_text(const char *text, size_t length);

/*
 * A site's id counts from 1. Its place says where its counters lie: 32 times
 * the place is the offset of the one in shard 0. Blocks refer to a site by its
 * place, or in 16 bits, where there is only room for the id, by that.
 */

/* A new site's id, or 0 when there is no room. */
uint32_t ledger_write_site(enum ledger_site_kind kind, uintptr_t address,
                           uint32_t module);

/* Likewise for a place that the source names, in a tag at `address`. */
uint32_t ledger_write_tag(const struct tally_place *place, uintptr_t address,
                          uint32_t module);

/*
 * Likewise for a whole stack: a call in a function called from `frame`. There
 * is room for 2,048 calls more, whose frame is LEDGER_FRAME_CUT.
 */
uint32_t ledger_write_stack(enum ledger_site_kind kind, uintptr_t address,
                            uint32_t module, uint32_t frame);

/* The last id that was handed out. */
uint32_t ledger_site_count(void);

struct ledger_site *ledger_site_at(uint32_t id);
uint32_t ledger_place_of(uint32_t id);

/* From a reference to the site, and its id; NULL, or 0: it is none. */
struct ledger_site *ledger_site_of(uint32_t reference);
uint32_t ledger_id_of(uint32_t reference);

/* The counter in shard 0, or NULL when it cannot be mapped. */
struct ledger_counter *ledger_counter_of(uint32_t reference);
struct ledger_counter *ledger_counter_at(uint32_t id);

/* A new frame's index, or 0; and the frame, or NULL. */
uint32_t ledger_write_frame(uint32_t parent, uintptr_t address,
                            uint32_t module);
struct ledger_frame *ledger_frame_at(uint32_t index);

/*
 * Counts of allocations by ledger_size_class(), of one shard; and what a site
 * held at the peak. NULL: no room.
 */
uint64_t *ledger_sizes_at(uint32_t shard);
struct ledger_peak *ledger_peak_at(uint32_t site);

/* What a sampled block stands for. */
struct sample_weight {
    uint64_t blocks;
    uint64_t bytes;
    double blocks_variance;
    double bytes_variance;
};

/* The id of a site, by its reference; 0: it has no sums over its samples. */
uint32_t ledger_sampled_id_of(uint32_t reference);

/* Add one more sample to a sum of a site. `which` is an enum ledger_life, or
   LEDGER_LIFE_FREED and a class. False: there was no room. */
bool ledger_add_sample(uint32_t site, unsigned which,
                       const struct sample_weight *weight);

/* Whether no site of its segment is address space, or has inherited. */
bool ledger_peaks_are_plain(uint32_t site);

/* A new module's index, or 0. `module->state` decides what it is stored as. */
uint32_t ledger_write_module(const struct ledger_module *module);
struct ledger_module *ledger_module_at(uint32_t index);

/*
 * One more of this notice; those with the same code and text are one record.
 * Returns its `times`, so that a caller whose deed failed can take it back, or
 * NULL when there was no room.
 */
uint32_t *ledger_write_notice(enum ledger_notice_code code, const char *text);

/*
 * A new region, or with `region` that one under another name. NULL: no room.
 */
struct ledger_region *ledger_write_region(struct ledger_region *region,
                                          enum ledger_region_kind kind,
                                          uintptr_t address, const char *name);

struct ledger_header;

/*
 * By ledger_space_fork(): the child's ledger holds what was written before the
 * fork. false: there is no room.
 */
bool ledger_writer_inherit(struct ledger_header *header);
