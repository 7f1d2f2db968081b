/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.c - see serve.h
 *
 * libmicrohttpd has a thread for each connection, at most CONNECTIONS. It is
 * loaded here: linked, it would cost every command 2.5 MB and 1.6 ms at its
 * start. The first request makes the data; they are made again as often as
 * costs one sixtieth of a CPU, which leaves something of 2 % for handing them
 * out. All who read them at the same time share one copy.
 */
#include "tool/web/serve.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tool/tables/memory.h"
#include "tool/web/page.h"

enum {
    CONNECTIONS = 256,
    TOKEN_BYTES = 16,
    HOST_SIZE = 64,
    EVENT_SIZE = 64,
    SECOND_MS = 1000,
    SHARE = 60, /* of the time that data may cost */
};

#define FUNCTIONS(X)                 \
    X(add_response_header)           \
    X(create_response_from_buffer)   \
    X(create_response_from_callback) \
    X(destroy_response)              \
    X(get_connection_info)           \
    X(lookup_connection_value)       \
    X(queue_response)                \
    X(start_daemon)                  \
    X(stop_daemon)

static struct {
#define DECLARE(name) __typeof__(MHD_##name) *name;
    FUNCTIONS(DECLARE)
} mhd;

bool web_library_load(void)
{
    void *handle = dlopen("libmicrohttpd.so.12", RTLD_NOW);

#define FIND(name)                                              \
    if (handle == NULL ||                                       \
        (mhd.name = (__typeof__(MHD_##name) *)(uintptr_t)dlsym( \
             handle, "MHD_" #name)) == NULL)                    \
        return false;
    FUNCTIONS(FIND)
    return true;
}

struct server {
    const struct web_content *content;
    char token[2 * TOKEN_BYTES + 1];
    char hosts[2][HOST_SIZE]; /* "127.0.0.1:PORT"; "": a Unix socket */
    pthread_mutex_t lock;     /* of what follows */
    struct MHD_Response *data;
    uint64_t next_ms; /* when data may be made again */
    unsigned version; /* of data */
    enum web_state state;
    _Atomic bool is_over; /* this server shall end */
};

static uint64_t now_ms(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND_MS + (uint64_t)now.tv_nsec / 1000000;
}

static struct MHD_Response *with_headers(const char *type,
                                         struct MHD_Response *response)
{
    if (response == NULL)
        return NULL;
    mhd.add_response_header(response, "Content-Type", type);
    mhd.add_response_header(response, "Cache-Control", "no-store");
    mhd.add_response_header(response, "Referrer-Policy", "no-referrer");
    mhd.add_response_header(response, "X-Content-Type-Options", "nosniff");
    mhd.add_response_header(response, "X-Frame-Options", "DENY");
    return response;
}

/* With the lock: make data if they may be newer. */
static void refresh(struct server *server)
{
    const struct web_content *content = server->content;
    uint64_t began = now_ms(CLOCK_MONOTONIC), cost;
    uint64_t used = now_ms(CLOCK_THREAD_CPUTIME_ID);
    char *data = NULL;
    size_t size = 0;
    FILE *out;

    if (server->data != NULL &&
        (!content->is_live || server->state == WEB_ENDED ||
         began < server->next_ms))
        return;
    out = memory_got(open_memstream(&data, &size));
    server->state = content->write(content->context, out);
    fclose(out);
    /* The first time symbols are read as well. */
    cost = server->version == 0
               ? 0
               : (now_ms(CLOCK_THREAD_CPUTIME_ID) - used) * SHARE;
    server->next_ms = began + (cost > SECOND_MS ? cost : SECOND_MS);
    if (size == 0) {
        free(data);
        return;
    }
    if (server->data != NULL)
        mhd.destroy_response(server->data);
    server->data = memory_got(with_headers(
        "application/octet-stream",
        mhd.create_response_from_buffer(size, data, MHD_RESPMEM_MUST_FREE)));
    server->version++;
}

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status,
                             const char *type, struct MHD_Response *response)
{
    enum MHD_Result result;

    if (with_headers(type, response) == NULL)
        return MHD_NO;
    result = mhd.queue_response(connection, status, response);
    mhd.destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection,
                              unsigned status, const char *why)
{
    return reply(connection, status, "text/plain; charset=utf-8",
                 mhd.create_response_from_buffer(strlen(why),
                                                 (void *)(uintptr_t)why,
                                                 MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result send_page(struct server *server,
                                 struct MHD_Connection *connection)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_got(open_memstream(&text, &size));

    page_write_served(out, server->content->title);
    fclose(out);
    return reply(
        connection, MHD_HTTP_OK, "text/html; charset=utf-8",
        mhd.create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result send_data(struct server *server,
                                 struct MHD_Connection *connection)
{
    enum MHD_Result result;

    pthread_mutex_lock(&server->lock);
    refresh(server);
    result = mhd.queue_response(connection, MHD_HTTP_OK, server->data);
    pthread_mutex_unlock(&server->lock);
    return result;
}

/* One reader of events. */
struct listener {
    struct server *server;
    unsigned version;     /* that its last event was about */
    enum web_state state; /* likewise */
};

/* Waits until there is something to say, but looks up now and then. */
static ssize_t next_event(void *context, uint64_t position, char *out,
                          size_t size)
{
    static const char *const events[] = {
        [WEB_AWAY] = "event: away\ndata:\n\n",
        [WEB_ENDED] = "event: end\ndata:\n\n",
    };
    struct listener *listener = context;
    struct server *server = listener->server;
    const struct timespec pause = { 0, 200 * 1000000 };
    const char *event = NULL;

    (void)position;
    if (listener->state == WEB_ENDED)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (size < EVENT_SIZE)
        return 0;
    for (unsigned i = 0; i < 25 && event == NULL && !server->is_over; i++) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&server->lock);
        refresh(server);
        if (server->version != listener->version) {
            event = "data:\n\n";
            listener->version = server->version;
        } else {
            enum web_state state =
                server->content->is_live ? server->state : WEB_ENDED;

            event = state == listener->state ? NULL : events[state];
            listener->state = state;
        }
        pthread_mutex_unlock(&server->lock);
    }
    if (server->is_over)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (event == NULL)
        event = ":\n\n"; /* a closed connection is noticed by this */
    strcpy(out, event);
    return (ssize_t)strlen(event);
}

static enum MHD_Result send_events(struct server *server,
                                   struct MHD_Connection *connection)
{
    struct listener *listener = memory_zeroed(1, sizeof *listener);

    pthread_mutex_lock(&server->lock);
    *listener = (struct listener){ server, server->version, WEB_GOES_ON };
    pthread_mutex_unlock(&server->lock);
    return reply(connection, MHD_HTTP_OK, "text/event-stream",
                 mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, 1024,
                                                   next_event, listener, free));
}

static bool is_own_user(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct ucred peer;
    socklen_t size = sizeof peer;

    return info != NULL &&
           getsockopt(info->connect_fd, SOL_SOCKET, SO_PEERCRED, &peer,
                      &size) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

/* Whether the browser came by our own address, and from our own page. */
static bool is_ours(const struct server *server,
                    struct MHD_Connection *connection)
{
    const char *host =
        mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin =
        mhd.lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");

    if (server->hosts[0][0] == '\0')
        return is_own_user(connection);
    for (unsigned i = 0; i < 2; i++) {
        if (host != NULL && strcmp(host, server->hosts[i]) == 0)
            return origin == NULL || (strncmp(origin, "http://", 7) == 0 &&
                                      strcmp(origin + 7, host) == 0);
    }
    return false;
}

/* In a time that tells nothing of the token. */
static bool has_token(const struct server *server, const char *path)
{
    unsigned char differs = 0;

    if (path[0] != '/' || strlen(path) < 2 * TOKEN_BYTES + 2)
        return false;
    for (unsigned i = 0; i < 2 * TOKEN_BYTES; i++)
        differs |= (unsigned char)(path[i + 1] ^ server->token[i]);
    return differs == 0 && path[2 * TOKEN_BYTES + 1] == '/';
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection,
                              const char *path, const char *method,
                              const char *version, const char *body,
                              size_t *body_size, void **own)
{
    struct server *server = context;
    const char *name;

    (void)version;
    (void)body;
    (void)body_size;
    (void)own;
    if (!is_ours(server, connection) || !has_token(server, path))
        return refuse(connection, MHD_HTTP_FORBIDDEN,
                      "open the address that tally view printed\n");
    if (strcmp(method, "GET") != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                      "there is nothing to be changed\n");
    name = path + 2 * TOKEN_BYTES + 2;
    if (*name == '\0')
        return send_page(server, connection);
    if (strcmp(name, "data") == 0)
        return send_data(server, connection);
    if (strcmp(name, "events") == 0)
        return send_events(server, connection);
    return refuse(connection, MHD_HTTP_NOT_FOUND, "there is no such page\n");
}

/* Other users get no further than their connection. */
static enum MHD_Result admit(void *context, const struct sockaddr *address,
                             socklen_t size)
{
    (void)context;
    (void)size;
    return address == NULL || address->sa_family != AF_INET ||
                   ((const struct sockaddr_in *)(const void *)address)
                           ->sin_addr.s_addr == htonl(INADDR_LOOPBACK)
               ? MHD_YES
               : MHD_NO;
}

static void name_server(struct server *server, int fd,
                        const struct web_listen *wanted, char address[])
{
    struct sockaddr_in inet;
    socklen_t size = sizeof inet;
    unsigned char random[TOKEN_BYTES];

    while (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        ;
    for (unsigned i = 0; i < TOKEN_BYTES; i++)
        snprintf(server->token + 2 * i, 3, "%02x", random[i]);
    if (wanted->path != NULL) {
        sprintf(address, "http://localhost/%s/", server->token);
        return;
    }
    getsockname(fd, (struct sockaddr *)&inet, &size);
    snprintf(server->hosts[0], HOST_SIZE, "127.0.0.1:%u", ntohs(inet.sin_port));
    snprintf(server->hosts[1], HOST_SIZE, "localhost:%u", ntohs(inet.sin_port));
    sprintf(address, "http://%s/%s/", server->hosts[0], server->token);
}

int web_serve(const struct web_listen *wanted,
              const struct web_content *content,
              void (*opened)(const char *address), const char **why)
{
    struct server server = { .content = content,
                             .lock = PTHREAD_MUTEX_INITIALIZER };
    char address[2 * HOST_SIZE + 2 * TOKEN_BYTES];
    struct MHD_Daemon *daemon;
    sigset_t ending;
    int signal, fd;

    *why = NULL;
    refresh(&server);
    if (server.data == NULL)
        return -1;
    fd = web_listen_open(wanted);
    if (fd < 0) {
        *why = strerror(errno);
        mhd.destroy_response(server.data);
        return -1;
    }
    name_server(&server, fd, wanted, address);
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ending, NULL); /* in all threads */
    daemon = mhd.start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
            MHD_USE_POLL,
        0, admit, NULL, answer, &server, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
    if (daemon == NULL) {
        close(fd);
        *why = "the server did not start";
    } else {
        opened(address);
        sigwait(&ending, &signal);
        server.is_over = true;
        mhd.stop_daemon(daemon);
    }
    if (wanted->path != NULL)
        unlink(wanted->path);
    mhd.destroy_response(server.data);
    return daemon == NULL ? -1 : 0;
}
