/* SPDX-License-Identifier: Apache-2.0 */
/*
 * residency.h - which stacks keep the heap's pages in memory
 *
 * Read from outside, from the process's shadow and the kernel's page map: the
 * process does nothing for it and is not stopped. The rule:
 *
 *     A resident page is charged to the stacks whose blocks lie in it, each by
 *     its part of what all of them take there. So what is unused in a page is
 *     charged to those who pin it. A page in which no block lies is the
 *     allocator's. A huge page is one page.
 *
 * Pages that a stack alone pins would go back if its blocks there were freed
 * and the allocator gave free pages back; of a shared huge page these are its
 * small pages. All is an estimate: allocators keep some pages, blocks come and
 * go while we read, and the kernel says how much of a mapping is in huge pages,
 * but not where: as many places are taken for huge as are whole.
 *
 *     struct ledger_snapshot snapshot;  // of the process, a moment ago
 *     struct session_failure failure;
 *
 *     if (residency_add(pid, &ranges, &snapshot, &failure) < 0)
 *         print(failure.text);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "format/ledger/segments_layout.h"
#include "tool/session/find/ledger_snapshot.h"
#include "tool/session/sampling/resident_memory.h"
#include "tool/session/sampling/shadow_blocks.h"
#include "tool/session/session_failure.h"

/* By the sites' ids; number 0 as in struct ledger_residency. */
struct residency {
    struct ledger_residency *sites; /* for free() */
    size_t count;
};

/*
 * Charge the pages of `ranges`. False: the snapshot or the shadow cannot be
 * read, or there is no memory.
 */
bool residency_find(const struct process_view *view,
                    const struct heap_ranges *ranges,
                    const struct ledger_snapshot *snapshot,
                    struct residency *residency);

/* Read the residency of a running process. */
bool residency_read(pid_t pid, const struct heap_ranges *ranges,
                    const struct ledger_snapshot *snapshot,
                    struct residency *residency);

/* Add RESIDENCY segments to the snapshot; false: there is no room. */
bool residency_store(const struct residency *residency,
                     struct ledger_snapshot *snapshot);

/*
 * Read the residency of process `pid` and add it to its snapshot, as RESIDENCY
 * segments; `ranges` is NULL if its memory cannot be read. 0, or -1.
 */
int residency_add(pid_t pid, const struct heap_ranges *ranges,
                  struct ledger_snapshot *snapshot,
                  struct session_failure *failure);
