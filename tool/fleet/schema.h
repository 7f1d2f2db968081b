/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - the tables of a fleet's store
 *
 * docs/fleet.md shows them. Equal rows of one key count once. The server merges
 * them at any time, so queries must group them.
 */
#pragma once

#include "tool/fleet/clickhouse.h"

/*
 * Make the database and its missing tables on each server of the address;
 * replicated unless `cluster` is NULL. Drop rows older than `days` now, and by
 * the server's time-to-live if it has one. Return 0 or -1.
 */
int schema_make(struct clickhouse *server, const char *cluster,
                uint64_t keep_days);
