/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse.c - see fleet.h
 *
 * The server is asked to buffer a whole answer before it sends the first byte,
 * so that the status tells of errors. Every foreign text is quoted.
 */
#include "tool/fleet/fleet.h"

#include <time.h>

#include "tool/http/http_client.h"

enum {
    SECONDS = 600,
    VERSION_SECONDS = 20, /* timeout of the query for the version */
    PATIENCE = 3,         /* seconds: pauses of 0.5 and 1 */
    FIRST_PAUSE_MS = 500,
    ROW_LIMIT = 1 << 24,    /* bytes of a row or an error's text */
    ANSWER_LIMIT = 1 << 30, /* bytes of all rows */
    LAST_EXPERIMENTAL = 18, /* last version where LowCardinality is so */
};

void clickhouse_quote(FILE *sql, const char *text)
{
    putc('\'', sql);
    tabbed_write(sql, text);
    putc('\'', sql);
}

bool clickhouse_is_name(const char *text)
{
    return *text != '\0' &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';
}

/* Return true for "HOST:PORT" without bytes that are special in a URL. */
static bool is_host(const char *text)
{
    const char *port = strrchr(text, ':');

    return port != NULL && port != text && port[1] != '\0' &&
           port[1 + strspn(port + 1, "0123456789")] == '\0' &&
           text[strcspn(text, "/?#@\\ %\"<>")] == '\0';
}

static const char *take_address(struct clickhouse *server, char *rest)
{
    static const char form[] =
        "not of the form clickhouse://[USER@]HOST:PORT/DATABASE";
    char *at = strrchr(rest, '@'), *slash, *next;

    if (at != NULL) {
        *at = '\0';
        server->user = rest;
        rest = at + 1;
        if (strchr(server->user, ':') != NULL)
            return "it contains a password; give it with --password-file";
    }
    server->database = "default";
    if ((slash = strchr(rest, '/')) != NULL) {
        *slash = '\0';
        server->database = slash[1] == '\0' ? "default" : slash + 1;
    }
    if (!clickhouse_is_name(server->database))
        return form;
    for (; rest != NULL; rest = next) {
        if ((next = strchr(rest, ',')) != NULL)
            *next++ = '\0';
        if (!is_host(rest) || server->host_count == CLICKHOUSE_HOSTS)
            return form;
        server->hosts[server->host_count++] = rest;
    }
    return NULL;
}

const char *clickhouse_open(struct clickhouse *server, const char *address,
                            const char *password)
{
    static const char plain[] = "clickhouse://", secure[] = "clickhouses://";
    bool is_secure = strncmp(address, secure, sizeof secure - 1) == 0;
    const char *why;

    *server = (struct clickhouse){ .scheme = is_secure ? "https" : "http",
                                   .patience = PATIENCE };
    if (!is_secure && strncmp(address, plain, sizeof plain - 1) != 0)
        return "does not begin with clickhouse:// or clickhouses://";
    server->parts = memory_text(address);
    why = take_address(
        server, server->parts + (is_secure ? sizeof secure : sizeof plain) - 1);
    server->password = password;
    if (password != NULL && server->user == NULL)
        server->user = "default";
    if (why == NULL && (server->client = http_client_open()) == NULL)
        why = HTTP_CLIENT_ABSENT;
    return why;
}

void clickhouse_close(struct clickhouse *server)
{
    http_client_close(server->client);
    free(server->parts);
}

/* "Code: 60, e.displayText() = DB::Exception: TEXT, e.what() = ...", or in
   newer servers "Code: 60. DB::Exception: TEXT". Returns its number. */
static long read_error(struct clickhouse *server, struct http_answer *answer)
{
    static const char begin[] = "DB::Exception: ";
    char *text = answer->body, *found = strstr(text, begin);
    char *end = strstr(text, ", e.what()");
    long code =
        strncmp(text, "Code: ", 6) == 0 ? strtol(text + 6, NULL, 10) : 0;

    if (end != NULL)
        *end = '\0';
    text = found == NULL ? text : found + sizeof begin - 1;
    text[strcspn(text, "\r\n")] = '\0';
    snprintf(server->why, sizeof server->why, "%s: %s %ld: %.400s",
             server->hosts[server->host], code != 0 ? "error" : "HTTP",
             code != 0 ? code : (long)answer->status, text);
    return code;
}

/* Return true for a temporary error: a replica starts or has lost ZooKeeper,
   another shard dies, or the server has too many queries. */
static bool passes_by(long code, unsigned status)
{
    static const long codes[] = { 32,  202, 209, 210, 225,
                                  242, 252, 279, 319, 999 };

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (code == codes[i])
            return true;
    }
    return code == 0 && status >= 500;
}

/* Send once. Return 0, 1 if another server may succeed, or -1. */
static int try(struct clickhouse *server, struct http_request *request,
               const char *query)
{
    const char *setting = server->version <= LAST_EXPERIMENTAL
                              ? "&allow_experimental_low_cardinality_type=1"
                              : "";
    OWNED char *url = memory_print(
        "%s://%s/?database=%s&wait_end_of_query=1&insert_distributed_sync=1%s"
        "&%s",
        server->scheme, server->hosts[server->host], server->database,
        server->version == 0 ? "" : setting, query);
    struct http_answer answer;
    int status = 0;

    request->url = url;
    if (http_client_send(server->client, request, &answer) < 0) {
        snprintf(server->why, sizeof server->why, "%s: %s",
                 server->hosts[server->host], answer.why);
        status = answer.status == 0 ? 1 : -1;
    } else if (answer.status != 200) {
        long code = read_error(server, &answer);

        status = passes_by(code, answer.status) ? 1 : -1;
    } else if (request->is_packed && answer.size != 0) {
        snprintf(server->why, sizeof server->why, "%s: unexpected answer",
                 server->hosts[server->host]);
        status = -1;
    }
    free(answer.body);
    return status;
}

static time_t seconds_now(void)
{
    struct timespec now = { 0, 0 };

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Send, and retry until the patience ends. */
static int send(struct clickhouse *server, struct http_request request,
                const char *query)
{
    time_t end = seconds_now() + server->patience;
    unsigned ms = FIRST_PAUSE_MS;
    int status = 1;

    request.method = "POST";
    request.user = server->user;
    request.password = server->password;
    request.seconds = server->version == 0 ? VERSION_SECONDS : SECONDS;
    request.most = ROW_LIMIT;
    for (;;) {
        struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };

        for (size_t i = 0; status > 0 && i < server->host_count; i++) {
            status = try(server, &request, query);
            if (status > 0)
                server->host = (server->host + 1) % server->host_count;
        }
        if (status <= 0 || seconds_now() + ms / 1000 >= end)
            return status == 0 ? 0 : -1;
        nanosleep(&pause, NULL);
        ms *= 2;
    }
}

struct reading {
    clickhouse_row_fn *row;
    void *context;
    size_t size;
    bool is_odd;
};

static bool take_row(void *context, char *row, size_t size)
{
    struct reading *reading = context;

    reading->size += size;
    reading->is_odd =
        reading->size > ANSWER_LIMIT ||
        (reading->row != NULL && !reading->row(reading->context, row));
    return !reading->is_odd;
}

static bool take_version(void *context, char *row)
{
    ((struct clickhouse *)context)->version = (unsigned)atoi(row);
    return atoi(row) > 0;
}

/* Check once that the server is ClickHouse, and find its version. */
static int find_version(struct clickhouse *server)
{
    return server->version != 0 ? 0
                                : clickhouse_ask(server, "SELECT version()",
                                                 take_version, server);
}

int clickhouse_ask(struct clickhouse *server, const char *sql,
                   clickhouse_row_fn *row, void *context)
{
    struct reading reading = { .row = row, .context = context };
    const struct http_request request = { .body = sql,
                                          .body_size = strlen(sql),
                                          .row = take_row,
                                          .context = &reading };

    if (row != take_version && find_version(server) < 0)
        return -1;
    if (send(server, request, "default_format=TabSeparated") < 0)
        return -1;
    reading.is_odd |= server->version == 0; /* no row: no ClickHouse */
    if (reading.is_odd)
        snprintf(server->why, sizeof server->why, "%s: unexpected answer",
                 server->hosts[server->host]);
    return reading.is_odd ? -1 : 0;
}

int clickhouse_insert(struct clickhouse *server, const char *table,
                      const char *rows, size_t size)
{
    const struct http_request request = { .body = rows,
                                          .body_size = size,
                                          .is_packed = true };
    OWNED char *query = memory_print("query=INSERT%%20INTO%%20%s%%20FORMAT%%20"
                                     "TabSeparated",
                                     table);
    int status = size == 0 ? 0 : find_version(server);

    if (size != 0 && status == 0)
        status = send(server, request, query);

    return status;
}
