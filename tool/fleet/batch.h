/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch.h - profiles become rows, and rows are sent by the million
 *
 * What has been sent counts once, however often it is: a snapshot's number is
 * made out of all that it holds, and its own row, without which the others do
 * not count, goes last.
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
