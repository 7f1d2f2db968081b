/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse.h - a ClickHouse server, by its HTTP interface
 *
 *     clickhouse[s]://[USER[:PASSWORD]@]HOST:PORT[,HOST:PORT]...[/DATABASE]
 *
 * A request without an answer goes to the next server, and again after a pause:
 * so requests must be idempotent.
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
    size_t host; /* next host to ask */
    const char *database;
    const char *scheme;
    unsigned patience; /* seconds of retries */
    char *parts;       /* split address */
    unsigned version;  /* major version; 0: unknown yet */
    char why[600];     /* reason for the last failure */
};

/* Take a row of an answer, for tabbed.h; return false if it is unexpected. */
typedef bool clickhouse_row_fn(void *context, char *row);

/* Open a server by its address. Return NULL, or the error: an invalid address,
   or a missing library. The password may be NULL. */
const char *clickhouse_open(struct clickhouse *server, const char *address,
                            const char *password);
void clickhouse_close(struct clickhouse *server);

/* Run `sql` and pass each row of the answer to a function. Return 0, or -1 with
   server->why. */
int clickhouse_ask(struct clickhouse *server, const char *sql,
                   clickhouse_row_fn *row, void *context);

/* Insert tab-separated rows into a table. */
int clickhouse_insert(struct clickhouse *server, const char *table,
                      const char *rows, size_t size);

/* Write a string of SQL, with its quotes. */
void clickhouse_quote(FILE *sql, const char *text);

/* Return true for letters, digits and underscores, which need no quotes. */
bool clickhouse_is_name(const char *text);
