/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - see server.h
 *
 * libmicrohttpd has a thread for each connection, at most CONNECTIONS. It is
 * loaded here: linked, it would cost every command 2.5 MB and 1.6 ms at its
 * start.
 */
#include "tool/web/server.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "format/text_after.h"
#include "tool/tables/tables.h"

enum {
    CONNECTIONS = 384,
    WAY_BYTES = 16,
    HOST_SIZE = 64,
    IDLE_SECONDS = 30,
};

#define FUNCTIONS(X)                    \
    X(add_response_header)              \
    X(basic_auth_get_username_password) \
    X(create_response_from_buffer)      \
    X(create_response_from_callback)    \
    X(destroy_response)                 \
    X(free)                             \
    X(get_connection_info)              \
    X(lookup_connection_value)          \
    X(queue_response)                   \
    X(set_connection_option)            \
    X(start_daemon)                     \
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
    const struct web_service *service;
    char way[2 * WAY_BYTES + 1];
    char hosts[4][HOST_SIZE]; /* "127.0.0.1:PORT"; "": any */
};

static _Atomic bool is_over;

bool web_is_over(void)
{
    return is_over;
}

const char *web_header(const struct web_request *request, const char *name)
{
    return mhd.lookup_connection_value(request->connection, MHD_HEADER_KIND,
                                       name);
}

const char *web_argument(const struct web_request *request, const char *name)
{
    return mhd.lookup_connection_value(request->connection,
                                       MHD_GET_ARGUMENT_KIND, name);
}

static int descriptor_of(struct MHD_Connection *connection)
{
    return mhd
        .get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
        ->connect_fd;
}

bool web_is_gone(const struct web_request *request)
{
    struct pollfd end = { .fd = descriptor_of(request->connection),
                          .events = POLLRDHUP };

    return poll(&end, 1, 0) > 0;
}

void web_take_time(const struct web_request *request, unsigned seconds)
{
    mhd.set_connection_option(request->connection,
                              MHD_CONNECTION_OPTION_TIMEOUT,
                              IDLE_SECONDS + seconds);
}

static struct MHD_Response *with_headers(const char *type,
                                         struct MHD_Response *response)
{
    mhd.add_response_header(memory_or_exit(response), "Content-Type", type);
    mhd.add_response_header(response, "Cache-Control", "no-store");
    mhd.add_response_header(response, "Referrer-Policy", "no-referrer");
    mhd.add_response_header(response, "X-Content-Type-Options", "nosniff");
    mhd.add_response_header(response, "X-Frame-Options", "DENY");
    return response;
}

struct MHD_Response *web_body(const char *type, char *bytes, size_t size)
{
    return with_headers(type, mhd.create_response_from_buffer(
                                  size, bytes, MHD_RESPMEM_MUST_FREE));
}

void web_body_free(struct MHD_Response *body)
{
    mhd.destroy_response(body);
}

int web_share(const struct web_request *request, struct MHD_Response *body)
{
    return (int)mhd.queue_response(request->connection, MHD_HTTP_OK, body);
}

static int send_once(const struct web_request *request, unsigned status,
                     struct MHD_Response *response)
{
    int result = (int)mhd.queue_response(request->connection, status, response);

    mhd.destroy_response(response);
    return result;
}

int web_reply(const struct web_request *request, unsigned status,
              const char *type, char *body, size_t size)
{
    struct MHD_Response *response = web_body(type, body, size);

    if (status == MHD_HTTP_UNAUTHORIZED) /* a browser asks its user then */
        mhd.add_response_header(response, "WWW-Authenticate",
                                "Basic realm=\"tally\"");
    return send_once(request, status, response);
}

int web_tell(const struct web_request *request, unsigned status,
             const char *text)
{
    return web_reply(request, status, "text/plain; charset=utf-8",
                     memory_text(text), strlen(text));
}

int web_stream(const struct web_request *request, const char *type,
               ssize_t (*next)(void *context, uint64_t position, char *out,
                               size_t size),
               void *context, void (*end)(void *context))
{
    return send_once(
        request, MHD_HTTP_OK,
        with_headers(type, mhd.create_response_from_callback(
                               MHD_SIZE_UNKNOWN, 1024, next, context, end)));
}

/* In a time that tells nothing of it. */
static bool is_secret(const char *secret, const char *said)
{
    size_t size = strlen(secret);
    unsigned char differs = strnlen(said, size + 1) != size;

    for (size_t i = 0; i < size && said[i] != '\0'; i++)
        differs |= (unsigned char)(secret[i] ^ said[i]);
    return differs == 0;
}

/* By "Authorization: Bearer", or as the password of any user: browsers and go
   tool pprof know no other way. */
static bool has_token(const struct web_service *service,
                      const struct web_request *request)
{
    static const char bearer[] = "Bearer ";
    const char *said = web_header(request, "Authorization");
    char *password = NULL, *user;
    bool has;

    if (service->token == NULL || said == NULL)
        return false;
    if (strncasecmp(said, bearer, sizeof bearer - 1) == 0)
        return is_secret(service->token, said + sizeof bearer - 1);
    user = mhd.basic_auth_get_username_password(request->connection, &password);
    has = password != NULL && is_secret(service->token, password);
    mhd.free(user);
    mhd.free(password);
    return has;
}

static bool is_own_user(const struct web_request *request)
{
    uint32_t user;

    return web_peer_user(descriptor_of(request->connection), &user) &&
           (user == geteuid() || user == 0);
}

/* Return true if a browser used our own address, and came from our page or by a
   link, whose page sees no answer. */
static bool is_ours(const struct server *server,
                    const struct web_request *request)
{
    const char *host = web_header(request, "Host");
    const char *origin = web_header(request, "Origin");
    const char *site = web_header(request, "Sec-Fetch-Site");
    const char *mode = web_header(request, "Sec-Fetch-Mode");
    const char *from = origin == NULL ? NULL : text_after(origin, "http://");
    bool is_known = server->hosts[0][0] == '\0';

    for (unsigned i = 0; host != NULL && i < 4; i++)
        is_known |= strcasecmp(host, server->hosts[i]) == 0;
    if (host == NULL || !is_known)
        return false;
    if (origin != NULL && (from == NULL || strcmp(from, host) != 0))
        return false;
    return server->service->has_way || site == NULL ||
           strcmp(site, "none") == 0 || strcmp(site, "same-origin") == 0 ||
           (mode != NULL && strcmp(mode, "navigate") == 0);
}

/* The rest of a path that begins with the way; NULL: it does not. */
static const char *behind_way(const struct server *server, const char *path)
{
    char said[sizeof server->way] = "";

    if (*path != '/')
        return NULL;
    strncpy(said, path + 1, sizeof said - 1);
    path += 1 + strlen(said);
    return is_secret(server->way, said) && *path == '/' ? path : NULL;
}

static bool may_ask(const struct server *server, struct web_request *request)
{
    const struct web_service *service = server->service;

    if (!service->has_way)
        return has_token(service, request) || is_own_user(request);
    request->path = behind_way(server, request->path);
    return request->path != NULL &&
           (service->listen->path == NULL || is_own_user(request));
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection,
                              const char *path, const char *method,
                              const char *version, const char *body,
                              size_t *body_size, void **own)
{
    const struct server *server = context;
    const struct web_service *service = server->service;
    struct web_request request = { connection, path };
    bool may = may_ask(server, &request);

    (void)version;
    (void)body;
    (void)body_size;
    (void)own;
    if (!may)
        return (enum MHD_Result)web_tell(
            &request,
            service->token == NULL ? MHD_HTTP_FORBIDDEN : MHD_HTTP_UNAUTHORIZED,
            service->help);
    newcomers_end(descriptor_of(connection));
    if (!is_ours(server, &request))
        return (enum MHD_Result)web_tell(&request, MHD_HTTP_FORBIDDEN,
                                         "ask by the address that was printed, "
                                         "and from no other site's page\n");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return (enum MHD_Result)web_tell(&request, MHD_HTTP_METHOD_NOT_ALLOWED,
                                         "there is nothing to be changed\n");
    return (enum MHD_Result)service->answer(service->context, &request);
}

static void note(void *context, struct MHD_Connection *connection, void **own,
                 enum MHD_ConnectionNotificationCode what)
{
    (void)context;
    (void)own;
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        newcomers_begin(descriptor_of(connection));
    else
        newcomers_end(descriptor_of(connection));
}

static char *name_server(struct server *server, int fd)
{
    const struct web_service *service = server->service;
    const char *slash = service->has_way ? "/" : "";
    struct sockaddr_in own;
    socklen_t size = sizeof own;
    unsigned char random[WAY_BYTES];
    unsigned port;

    while (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        ;
    for (unsigned i = 0; service->has_way && i < WAY_BYTES; i++)
        snprintf(server->way + 2 * i, 3, "%02x", random[i]);
    if (service->listen->path != NULL)
        return memory_print("http://localhost/%s%s", server->way, slash);
    getsockname(fd, (struct sockaddr *)&own, &size);
    port = ntohs(own.sin_port);
    for (unsigned i = 0; i < 2; i++) {
        const char *name = i == 0 ? "127.0.0.1" : "localhost";

        snprintf(server->hosts[i], HOST_SIZE, "%s:%u", name, port);
        strcpy(server->hosts[2 + i], port == 80 ? name : server->hosts[i]);
    }
    return memory_print("http://127.0.0.1:%u/%s%s", port, server->way, slash);
}

int web_serve(const struct web_service *service,
              void (*opened)(const char *address), const char **why)
{
    struct server server = { .service = service };
    int signal, fd = web_listen_open(service->listen);
    struct MHD_Daemon *daemon;
    struct sigaction held;
    sigset_t ending;
    OWNED char *address = NULL;

    if (fd < 0) {
        *why = strerror(errno);
        return -1;
    }
    address = name_server(&server, fd);
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGALRM);
    if (sigaction(SIGHUP, NULL, &held) == 0 && held.sa_handler != SIG_IGN)
        sigaddset(&ending, SIGHUP);            /* else it is not heard: nohup */
    pthread_sigmask(SIG_BLOCK, &ending, NULL); /* in all threads */
    daemon = mhd.start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
            MHD_USE_POLL,
        0, NULL, NULL, answer, &server, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
        MHD_OPTION_NOTIFY_CONNECTION, note, NULL, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_END);
    if (daemon == NULL) {
        close(fd);
        *why = "the server did not start";
    } else {
        opened(address);
        while (sigwait(&ending, &signal) == 0 && signal == SIGALRM)
            newcomers_sweep();
        is_over = true;
        mhd.stop_daemon(daemon);
    }
    if (service->listen->path != NULL)
        unlink(service->listen->path);
    return daemon == NULL ? -1 : 0;
}
