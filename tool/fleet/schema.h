/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - the tables of a fleet's store
 *
 * docs/fleet.md shows them. Equal rows of one key count once, whenever the
 * server joins them; whoever asks must join them, too.
 */
#pragma once

#include "tool/fleet/clickhouse.h"

/*
 * Make the database and what tables it lacks, on each server that the address
 * names; with replicas unless `cluster` is NULL. What is older than so many
 * days goes: by the server's own time-to-live where it knows any, and now. 0,
 * or -1.
 */
int schema_make(struct clickhouse *server, const char *cluster,
                uint64_t keep_days);
