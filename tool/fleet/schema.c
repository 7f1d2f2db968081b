/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c - see fleet.h */
#include "tool/fleet/fleet.h"

#include <inttypes.h>

enum { FIRST_WITH_TTL = 20 };

#define WHO                                                            \
    "service LowCardinality(String), version LowCardinality(String), " \
    "host LowCardinality(String), label_names Array(String), "         \
    "label_values Array(String), time DateTime('UTC'), snapshot UInt64, "

static const struct table {
    const char *name, *columns;
    const char *version; /* highest one of equal keys stays; "": equal */
    const char *period;  /* period of partitions; NULL: rows are kept */
    const char *time;
    const char *key;
    const char *shard;
} tables[] = {
    { "tally_names",
      "build String, address UInt64, path String, functions Array(String), "
      "files Array(String), lines Array(UInt32), named UInt8",
      "named", NULL, NULL, "build, address", "cityHash64(build)" },
    { "tally_stacks",
      "stack UInt64, seen DateTime('UTC'), builds Array(String), "
      "addresses Array(UInt64)",
      "seen", "toYYYYMM", "seen", "stack", "stack" },
    { "tally_samples",
      WHO "kind LowCardinality(String), stack UInt64, live_blocks Int64, "
          "live_bytes Int64, alloc_blocks UInt64, alloc_bytes UInt64, "
          "free_blocks UInt64, free_bytes UInt64, variances Array(Float32)",
      "", "toYYYYMMDD", "time",
      "service, stack, snapshot, kind, label_names, label_values", "stack" },
    { "tally_snapshots",
      WHO "image UInt64, instant UInt64, program String, pid UInt32, samples "
          "UInt32, "
          "sample_interval UInt64, peak_bytes UInt64, tree UInt64",
      "", "toYYYYMMDD", "time", "service, time, snapshot", "snapshot" },
};

/* Target of the schema. */
struct place {
    struct clickhouse *server;
    const char *cluster, *suffix;
};

static int run(struct clickhouse *server, char *sql)
{
    int status = clickhouse_ask(server, sql, NULL, NULL);

    free(sql);
    return status;
}

static int make_rows(const struct place *place, const struct table *table)
{
    const char *database = place->server->database;
    const char *comma = *table->version == '\0' ? "" : ", ";
    char engine[256], parts[128] = "";

    if (place->cluster != NULL)
        snprintf(engine, sizeof engine,
                 "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/"
                 "%s/%s', '{replica}'%s%s)",
                 database, table->name, comma, table->version);
    else
        snprintf(engine, sizeof engine, "ReplacingMergeTree(%s)",
                 table->version);
    if (table->period != NULL)
        snprintf(parts, sizeof parts, " PARTITION BY %s(%s)", table->period,
                 table->time);
    return run(place->server,
               memory_print("CREATE TABLE IF NOT EXISTS %s.%s%s (%s) "
                            "ENGINE = %s%s ORDER BY (%s)",
                            database, table->name, place->suffix,
                            table->columns, engine, parts, table->key));
}

static int make_distributed(const struct place *place,
                            const struct table *table)
{
    const char *database = place->server->database;

    return run(place->server,
               memory_print("CREATE TABLE IF NOT EXISTS %s.%s (%s) "
                            "ENGINE = Distributed(%s, %s, %s_local, %s)",
                            database, table->name, table->columns,
                            place->cluster, database, table->name,
                            table->shard));
}

static bool take_partition(void *context, char *row)
{
    text_pool_add(context, row);
    return clickhouse_is_name(row);
}

/* Drop partitions that are wholly older than the limit; set a time-to-live
   where the server has one. */
static int drop_old(const struct place *place, const struct table *table,
                    uint64_t keep_days)
{
    struct text_pool old = { 0 };
    OWNED char *sql = memory_print(
        "SELECT DISTINCT partition FROM system.parts WHERE active AND "
        "database = '%s' AND table = '%s%s' AND toUInt32(partition) < "
        "%s(toDate(now(), 'UTC') - %" PRIu64 ")",
        place->server->database, table->name, place->suffix, table->period,
        keep_days);
    int status = clickhouse_ask(place->server, sql, take_partition, &old);

    if (status == 0 && place->server->version >= FIRST_WITH_TTL)
        status = run(place->server,
                     memory_print("ALTER TABLE %s.%s%s MODIFY TTL toDate(%s) + "
                                  "INTERVAL %" PRIu64 " DAY",
                                  place->server->database, table->name,
                                  place->suffix, table->time, keep_days + 1));
    for (size_t i = 0; i < old.count && status == 0; i++)
        status = run(place->server,
                     memory_print("ALTER TABLE %s.%s%s DROP PARTITION %s",
                                  place->server->database, table->name,
                                  place->suffix, old.texts[i]));
    text_pool_free(&old);
    return status;
}

static int make_on(const struct place *place, uint64_t keep_days)
{
    struct clickhouse *server = place->server;
    const char *database = server->database;
    int status;

    server->database = "default"; /* always exists */
    status =
        run(server, memory_print("CREATE DATABASE IF NOT EXISTS %s", database));
    server->database = database;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == 0; i++) {
        status = make_rows(place, &tables[i]);
        if (status == 0 && place->cluster != NULL)
            status = make_distributed(place, &tables[i]);
        if (status == 0 && tables[i].period != NULL)
            status = drop_old(place, &tables[i], keep_days);
    }
    return status;
}

/* Ask servers one by one: ON CLUSTER loses settings, which servers up to
   version 18 need for LowCardinality. */
int schema_make(struct clickhouse *server, const char *cluster,
                uint64_t keep_days)
{
    for (size_t i = 0; i < server->host_count; i++) {
        struct clickhouse one = *server;
        const struct place place = { &one, cluster,
                                     cluster == NULL ? "" : "_local" };

        one.hosts[0] = server->hosts[i];
        one.host_count = 1;
        one.host = 0;
        one.version = 0;
        if (make_on(&place, keep_days) < 0) {
            memcpy(server->why, one.why, sizeof one.why);
            return -1;
        }
    }
    return 0;
}
