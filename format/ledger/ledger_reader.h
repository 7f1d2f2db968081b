/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_reader.h - the bytes of a ledger, checked, as structs
 *
 * For code that has the bytes of one ledger: a file read into memory, or a
 * mapping of the ledger of a running program. Nothing in the bytes is trusted,
 * nothing is allocated, and the bytes stay the caller's. On a live mapping the
 * accounts move while they are read; every word is read once.
 *
 *     struct ledger_reader reader;
 *     struct ledger_cursor cursor = { 0 };
 *     struct ledger_site_view site;
 *
 *     if (ledger_reader_open(&reader, bytes, size) != LEDGER_E_OK)
 *         complain(ledger_error_why(reader.error), reader.error_offset);
 *     while (ledger_reader_next_site(&reader, &cursor, &site) > 0)
 *         use(&site);
 *
 * Each function returns a negative enum ledger_error for damage, and leaves it
 * in `error` with the place in `error_offset`. Segments take no more room
 * together than there is, and what makes a reader work more than
 * ledger_reader_work_limit() says is damage too, so that time and memory are
 * bounded by the size of a ledger.
 */
#ifndef TALLY_FORMAT_LEDGER_READER_H
#define TALLY_FORMAT_LEDGER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/counts_layout.h"
#include "format/ledger/ledger_directory.h"
#include "format/ledger/ledger_error.h"
#include "format/ledger/modules_layout.h"
#include "format/ledger/regions_layout.h"
#include "format/ledger/sites_layout.h"

struct ledger_site_view {
    uint32_t id;
    uint32_t kind;   /* LEDGER_SITE_HEAP or LEDGER_SITE_MAP */
    uint32_t module; /* 0 unknown */
    uint64_t address;
    uint64_t inherited_blocks;
    uint64_t inherited_bytes;
    struct ledger_text_view place; /* FILE NUL FUNCTION NUL MODULE; or empty */
    uint32_t line;
    uint32_t frame;     /* see ledger_stacks.h; 0 without stacks */
    uint64_t peak_seen; /* live bytes; not above the true peak */
    uint32_t unseen_frees;
    struct ledger_counter counter; /* the sum over all shards */
    uint64_t offset;               /* of its struct ledger_site */
};

struct ledger_module_view {
    uint32_t state; /* LEDGER_MODULE_LOADED or LEDGER_MODULE_UNLOADED */
    uint64_t start;
    uint64_t end;
    uint64_t bias;
    struct ledger_text_view path;
    uint32_t build_id_size; /* at most LEDGER_BUILD_ID_CAPACITY */
    uint8_t build_id[LEDGER_BUILD_ID_CAPACITY];
};

struct ledger_notice_view {
    uint32_t code; /* below LEDGER_NOTICE_COUNT unless the writer is newer */
    uint32_t times;
    struct ledger_text_view text;
};

struct ledger_region_view {
    uint32_t kind; /* enum ledger_region_kind, never NONE */
    uint32_t is_gone;
    uint64_t address;
    struct ledger_text_view name;
    uint64_t size;
    uint64_t block_size;
    uint64_t used; /* at most `size` */
    uint64_t peak; /* likewise */
    uint64_t refused;
    uint64_t timed_out;
    uint64_t waiting;
    uint64_t longest_wait_ns;
    uint64_t faults;
    bool knows_largest;
    uint64_t largest; /* at most what is unused */
};

/*
 * Check header and directory of the ledger in `bytes` and read what the header
 * says of the process. `bytes` must stay mapped while the reader is used.
 */
int ledger_reader_open(struct ledger_reader *reader, const unsigned char *bytes,
                       size_t size);

/* How often the thing named by `count` happened, until now. */
uint64_t ledger_reader_count(const struct ledger_reader *reader,
                             enum ledger_count count);

/* The next site that is valid by now: 1, or 0 at the end, or an error. */
int ledger_reader_next_site(struct ledger_reader *reader,
                            struct ledger_cursor *cursor,
                            struct ledger_site_view *site);

/* Likewise for notices. */
int ledger_reader_next_notice(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_notice_view *notice);

/* Likewise for regions. */
int ledger_reader_next_region(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_region_view *region);

/* One more than the highest index that a module may have, as of now. */
uint32_t ledger_reader_module_limit(const struct ledger_reader *reader);

/* Module number `index`: 1, or 0 when it is not valid by now, or an error. */
int ledger_reader_module(struct ledger_reader *reader, uint32_t index,
                         struct ledger_module_view *module);

#endif /* TALLY_FORMAT_LEDGER_READER_H */
