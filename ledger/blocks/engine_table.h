/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_table.h - one core per process
 *
 * The recorder exports this table as ENGINE_TABLE_SYMBOL. Every copy of
 * libtally in the process looks for it and, if it is there, leaves recording to
 * the recorder: one ledger, each block once.
 *
 * Sites are ids of the recorder's ledger. Any thread, any signal handler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/accounts/engine.h"
#include "core/observers/mem_trace.h"
#include "core/observers/sample.h"
#include "format/ledger/segments_layout.h"
#include "sampling/countdown/countdown_client.h"
#include "sampling/limits/limits.h"
#include "sampling/memprof/memprof_calls.h"
#include "tally/hook.h"

#define ENGINE_TABLE_SYMBOL  "tally_record_engine"
#define ENGINE_TABLE_VERSION 15

/*
 * Type, member, libtally's name, implementation, parameters, arguments. Each
 * library has its own set_control() and write_region(), which is
 * ledger_write_region(), or NULL while there is no ledger. has_ledger: true if
 * records reach this process's own ledger.
 */
#define ENGINE_CALL_LIST(X)                                                    \
    X(void, set_control, engine_set_control, set_control, (uint32_t control),  \
      (control))                                                               \
    X(bool, is_exhausted, engine_is_exhausted, sites_are_exhausted, (void),    \
      ())                                                                      \
    X(uint32_t, open_site, tally_site_open_place, sites_open,                  \
      (uintptr_t key, const struct tally_place *place), (key, place))          \
    X(struct tally_site_account, read_site, tally_site_read, sites_read,       \
      (uint32_t site), (site))                                                 \
    X(void, move_site, engine_move_site, sites_move,                           \
      (uint32_t site, uintptr_t key), (site, key))                             \
    X(uint32_t, site_count, tally_site_count, sites_count, (void), ())         \
    X(uint32_t, sites_lost, tally_sites_lost, sites_lost, (void), ())          \
    X(void, read_totals, engine_read_totals, sites_read_totals,                \
      (struct engine_totals * totals), (totals))                               \
    X(uint32_t, hook_alloc, tally_hook_listen_alloc, sites_hook_alloc,         \
      (uint32_t site, size_t size), (site, size))                              \
    X(void, hook_free, tally_hook_listen_free, sites_hook_free,                \
      (uint32_t site, size_t size), (site, size))                              \
    X(bool, has_ledger, engine_has_ledger, process_has_ledger, (void), ())     \
    X(struct ledger_region *, write_region, engine_write_region, write_region, \
      (struct ledger_region * region, enum ledger_region_kind kind,            \
       uintptr_t address, const char *name),                                   \
      (region, kind, address, name))

#define ENGINE_MEMBER(type, member, name, function, parameters, arguments) \
    type(*member) parameters;
#define ENGINE_ROW(type, member, name, function, parameters, arguments) \
    .member = function,

struct engine_table {
    uint32_t version; /* ENGINE_TABLE_VERSION: others are ignored */

    /* Return the word that says whether allocations are recorded, valid for
       ever. */
    const uint32_t *(*open)(void);
    ENGINE_CALL_LIST(ENGINE_MEMBER)

    /*
     * Allocate, and charge to `site` or, if it is 0, to `caller`. alignment 0:
     * like malloc. resize is realloc. free() knows all of these blocks.
     * `caller` is for tally/mem_trace.h.
     */
    void *(*allocate)(size_t alignment, size_t size, uint32_t site,
                      uintptr_t caller);
    void *(*allocate_zeroed)(size_t count, size_t size, uint32_t site,
                             uintptr_t caller);
    void *(*resize)(void *block, size_t size, uint32_t site, uintptr_t caller);

    /* functions of tally/label.h */
    uint32_t (*set_label)(const char *key, const char *value);
    uint32_t (*use_label)(uint32_t label);
    uint32_t (*get_label)(void);

    /* this process's one mem_trace: its callback sees allocations */
    struct mem_trace *trace;

    /* this process's one sampling profiler */
    const struct memprof_calls *memprof;
    const struct limits_calls *limits;
    const struct sample_calls *samples;
    const struct countdown_words *counting;
};
