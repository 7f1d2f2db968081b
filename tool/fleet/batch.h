/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch.h - turn profiles into rows, and send rows in large batches
 *
 * A snapshot counts once, even if it is sent again: its number is a hash of its
 * content, and its own row, without which its others do not count, is sent
 * last.
 */
#pragma once

#include "tool/fleet/clickhouse.h"
#include "tool/model/profile/profile.h"
#include "tool/symbols/symbols.h"

/* Owner of a snapshot. */
struct snapshot_owner {
    const char *service, *version, *host;
    const char *const *labels; /* KEY=VALUE */
    size_t label_count;
};

/* Numbers of sent rows. */
struct batch_counts {
    uint64_t samples, snapshots;
};

struct batch;

struct batch *batch_open(struct clickhouse *server,
                         const struct symbols_search *search);
struct batch_counts batch_close(struct batch *batch);

/* Add a finished profile of one image, with stacks, at a time in ns since 1970.
   Return 0, or -1 with the server's reason. */
int batch_add(struct batch *batch, const struct snapshot_owner *owner,
              const struct profile *profile, uint64_t ns);

/* Send the rows that are left. */
int batch_flush(struct batch *batch);
