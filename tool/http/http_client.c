/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_client.c - see http_client.h
 *
 * libcurl is loaded at run time, as libmicrohttpd is by serve.c: other commands
 * do not need it.
 */
#include "tool/http/http_client.h"

#include <curl/curl.h>
#include <dlfcn.h>

#include "tool/tables/tables.h"

enum {
    CONNECT_SECONDS = 10,
    STATUS_OK = 200,
    FIRST_ROOM = 1 << 12,
    MOST_REST = 1 << 20, /* bytes that are read and dropped */
};

#define FUNCTIONS(X)  \
    X(easy_cleanup)   \
    X(easy_escape)    \
    X(easy_getinfo)   \
    X(easy_init)      \
    X(easy_perform)   \
    X(easy_reset)     \
    X(easy_setopt)    \
    X(easy_strerror)  \
    X(free)           \
    X(global_init)    \
    X(slist_append)   \
    X(slist_free_all) \
    X(url)            \
    X(url_cleanup)    \
    X(url_set)

static struct {
#define DECLARE(name) __typeof__(curl_##name) *name;
    FUNCTIONS(DECLARE)
} curl;

/* The type-checking macro would call a linked function. */
#define SET(client, option, ...) \
    curl.easy_setopt((client)->handle, CURLOPT_##option, __VA_ARGS__)

struct http_client {
    CURL *handle;
    const struct http_request *request;
    struct http_answer *answer;
    size_t room;     /* bytes for the answer's body */
    size_t rest;     /* dropped bytes of the body */
    bool has_enough; /* no more of the body is wanted */
};

static bool load(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW);

#define FIND(name)                                                \
    if (library == NULL ||                                        \
        (curl.name = (__typeof__(curl_##name) *)(uintptr_t)dlsym( \
             library, "curl_" #name)) == NULL)                    \
        return false;
    FUNCTIONS(FIND)
    return curl.global_init(CURL_GLOBAL_ALL) == CURLE_OK;
}

struct http_client *http_client_open(void)
{
    struct http_client *client;

    if (curl.global_init == NULL && !load())
        return NULL;
    client = memory_zeroed(1, sizeof *client);
    client->handle = memory_or_exit(curl.easy_init());
    return client;
}

bool http_url_is_valid(const char *url)
{
    CURLU *parts = memory_or_exit(curl.url());
    bool is_valid = curl.url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK;

    curl.url_cleanup(parts);
    return is_valid;
}

void http_client_close(struct http_client *client)
{
    if (client == NULL)
        return;
    curl.easy_cleanup(client->handle);
    free(client);
}

/* Append to the body up to the limit. */
static void keep(struct http_client *client, const char *bytes, size_t size)
{
    struct http_answer *answer = client->answer;
    size_t left = client->request->most - answer->size;

    answer->is_cut |= size > left;
    client->rest += size > left ? size - left : 0;
    size = size > left ? left : size;
    if (answer->size + size >= client->room) {
        while (answer->size + size >= client->room)
            client->room = client->room == 0 ? FIRST_ROOM : 2 * client->room;
        answer->body = memory_resized(answer->body, client->room, 1);
    }
    memcpy(answer->body + answer->size, bytes, size);
    answer->size += size;
    answer->body[answer->size] = '\0';
}

/* Pass the row in the body to the caller, and empty the body. */
static bool end_row(struct http_client *client)
{
    const struct http_request *request = client->request;
    struct http_answer *answer = client->answer;

    if (!answer->is_cut) {
        client->has_enough =
            !request->row(request->context, answer->body, answer->size);
        answer->size = 0;
        answer->body[0] = '\0';
    }
    return !answer->is_cut && !client->has_enough;
}

static size_t take(char *bytes, size_t one, size_t size, void *whole)
{
    struct http_client *client = whole;
    size_t left = size;
    long status = 0;

    (void)one;
    curl.easy_getinfo(client->handle, CURLINFO_RESPONSE_CODE, &status);
    if (client->request->row == NULL || status != STATUS_OK) {
        keep(client, bytes, size);
        /* Read the rest, so that the connection stays open, unless it is
           endless. */
        client->has_enough = client->rest > MOST_REST;
        return client->has_enough ? 0 : size;
    }
    for (char *end; (end = memchr(bytes, '\n', left)) != NULL;) {
        keep(client, bytes, (size_t)(end - bytes));
        if (!end_row(client))
            return 0;
        left -= (size_t)(end + 1 - bytes);
        bytes = end + 1;
    }
    keep(client, bytes, left);
    return client->answer->is_cut ? 0 : size;
}

static int go_on(void *whole, curl_off_t a, curl_off_t b, curl_off_t c,
                 curl_off_t d)
{
    const struct http_client *client = whole;

    (void)(a + b + c + d);
    return client->request->is_over();
}

static struct curl_slist *headers_of(const struct http_request *request)
{
    /* Without this libcurl waits a second for permission to send a body. */
    struct curl_slist *list =
        memory_or_exit(curl.slist_append(NULL, "Expect:"));

    if (request->is_packed)
        memory_or_exit(curl.slist_append(list, "Content-Encoding: gzip"));
    for (const char *const *header = request->headers;
         header != NULL && *header != NULL; header++)
        memory_or_exit(curl.slist_append(list, *header));
    return list;
}

/* Return the body packed by gzip, for free(). */
static char *pack(const struct http_request *request, size_t *size)
{
    char *packed = NULL;
    FILE *out = memory_or_exit(open_memstream(&packed, size));
    FILE *in = gzip_stream_open(out);

    fwrite(request->body, 1, request->body_size, in);
    fclose(in);
    if (fclose(out) != 0)
        exit_out_of_memory();
    return packed;
}

static void set_up(struct http_client *client, struct curl_slist *headers)
{
    const struct http_request *request = client->request;
    const char *authorities = secure_getenv("SSL_CERT_FILE");
    bool has_authorities = authorities != NULL && *authorities != '\0';

    curl.easy_reset(client->handle);
    SET(client, NOSIGNAL, 1L);
    SET(client, PROTOCOLS_STR, "http,https");
    SET(client, URL, request->url);
    SET(client, CUSTOMREQUEST, request->method);
    SET(client, HTTPHEADER, headers);
    SET(client, USERAGENT, "tally");
    if (has_authorities) /* as libssl and curl do */
        SET(client, CAINFO, authorities);
    SET(client, CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    SET(client, TIMEOUT, (long)request->seconds);
    SET(client, ERRORBUFFER, client->answer->why);
    SET(client, WRITEFUNCTION, take);
    SET(client, WRITEDATA, client);
    if (request->is_over != NULL) {
        SET(client, NOPROGRESS, 0L);
        SET(client, XFERINFOFUNCTION, go_on);
        SET(client, XFERINFODATA, client);
    }
    if (request->user != NULL) {
        SET(client, HTTPAUTH, CURLAUTH_BASIC);
        SET(client, USERNAME, request->user);
        SET(client, PASSWORD, request->password ? request->password : "");
    }
}

int http_client_send(struct http_client *client,
                     const struct http_request *request,
                     struct http_answer *answer)
{
    struct curl_slist *headers = headers_of(request);
    size_t size = request->body_size;
    char *packed = NULL;
    CURLcode code;
    curl_off_t after = 0;
    long status = 0;

    _Static_assert(sizeof answer->why >= CURL_ERROR_SIZE, "libcurl's reason");
    memset(answer, 0, sizeof *answer);
    *client = (struct http_client){ .handle = client->handle,
                                    .request = request,
                                    .answer = answer };
    keep(client, "", 0);
    set_up(client, headers);
    if (request->is_packed)
        packed = pack(request, &size);
    if (packed != NULL || request->body != NULL) {
        SET(client, POSTFIELDSIZE_LARGE, (curl_off_t)size);
        SET(client, POSTFIELDS, packed != NULL ? packed : request->body);
    }
    code = curl.easy_perform(client->handle);
    curl.easy_getinfo(client->handle, CURLINFO_RESPONSE_CODE, &status);
    answer->status = (unsigned)status;
    curl.easy_getinfo(client->handle, CURLINFO_RETRY_AFTER, &after);
    answer->retry_after = (uint64_t)after;
    if (code == CURLE_OK && request->row != NULL && status == STATUS_OK &&
        answer->size != 0)
        end_row(client); /* the last row, without an end of line */
    curl.slist_free_all(headers);
    free(packed);
    if (code == CURLE_OUT_OF_MEMORY)
        exit_out_of_memory();
    if (code == CURLE_OK || client->has_enough) {
        answer->why[0] = '\0';
        return 0;
    }
    if (request->row != NULL && answer->is_cut)
        strcpy(answer->why, "a row of the answer is too long");
    else if (answer->why[0] == '\0')
        snprintf(answer->why, sizeof answer->why, "%s",
                 curl.easy_strerror(code));
    return -1;
}

char *http_escaped(const char *text)
{
    char *of_curl = memory_or_exit(curl.easy_escape(NULL, text, 0));
    char *escaped = memory_text(of_curl);

    curl.free(of_curl);
    return escaped;
}
