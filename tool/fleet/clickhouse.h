/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse.h - a ClickHouse server, by its HTTP interface
 *
 *     clickhouse[s]://[USER[:PASSWORD]@]HOST:PORT[,HOST:PORT]...[/DATABASE]
 *
 * A request that gets no answer goes to the next server, and again after a
 * pause: so whatever is sent must do no harm if it arrives twice.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CLICKHOUSE_HOSTS = 64 };

struct clickhouse {
    struct http_client *client;
    const char *user, *password;         /* NULL: none */
    const char *hosts[CLICKHOUSE_HOSTS]; /* "HOST:PORT" */
    size_t host_count;
    size_t host; /* that is asked next */
    const char *database;
    const char *scheme;
    unsigned patience; /* for so many seconds what fails is sent again */
    char *parts;       /* of the address, cut up */
    unsigned version;  /* of the server, its first number; 0: not known yet */
    char why[600];     /* the last request failed */
};

/* A row of an answer, for tabbed.h; false: it is not what was asked for. */
typedef bool clickhouse_row_fn(void *context, char *row);

/* NULL, or why the address is none, or what is not installed. The password may
   be NULL. */
const char *clickhouse_open(struct clickhouse *server, const char *address,
                            const char *password);
void clickhouse_close(struct clickhouse *server);

/* Each row of the answer to `sql`; 0, or -1 with server->why. */
int clickhouse_ask(struct clickhouse *server, const char *sql,
                   clickhouse_row_fn *row, void *context);

/* Put tabbed rows into a table. */
int clickhouse_insert(struct clickhouse *server, const char *table,
                      const char *rows, size_t size);

/* A text in SQL, with its quotes. */
void clickhouse_quote(FILE *sql, const char *text);

/* Letters, digits and underscores: what is written as it is. */
bool clickhouse_is_name(const char *text);
