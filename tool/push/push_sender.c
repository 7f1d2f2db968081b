/* SPDX-License-Identifier: Apache-2.0 */
/* push_sender.c - see push.h */
#include "tool/push/push.h"

#include <fcntl.h>
#include <inttypes.h>

#include "tool/files/files.h"
#include "tool/render/render.h"

enum { ANSWER_MOST = 128, HEADERS = 16, LINE = 4096, SECOND_NS = 1000000000 };

static void write_label(struct json *json, const char *name, const char *value)
{
    json_begin(json, NULL, JSON_LINE_OBJECT);
    json_string(json, "name", name);
    json_string(json, "value", value);
    json_end(json);
}

/* Totals cover this profile's time only, so the service must not subtract. */
static void write_service(FILE *out, const struct push_profile *profile)
{
    struct json json = { .out = out };
    char *name = memory_text(profile->name), *rest = name, *label;
    char *text = base64_text(profile->bytes, profile->size);

    json_begin(&json, NULL, JSON_OBJECT);
    json_begin(&json, "series", JSON_ARRAY);
    json_begin(&json, NULL, JSON_OBJECT);
    json_begin(&json, "labels", JSON_ARRAY);
    write_label(&json, "__name__", "memory");
    write_label(&json, "__delta__", "false");
    write_label(&json, "service_name", strsep(&rest, "{"));
    while ((label = strsep(&rest, ",}")) != NULL && *label != '\0') {
        const char *key = strsep(&label, "=");

        write_label(&json, key, label == NULL ? "" : label);
    }
    json_end(&json);
    json_begin(&json, "samples", JSON_ARRAY);
    json_begin(&json, NULL, JSON_OBJECT);
    json_string(&json, "ID", profile->id);
    json_string(&json, "rawProfile", text);
    for (unsigned i = 0; i < 5; i++)
        json_end(&json);
    free(name);
    free(text);
}

/* Read the file of headers before each request, because tokens expire. Return
   the error, or NULL. */
static const char *read_headers(const char *path, char lines[HEADERS][LINE],
                                const char **headers)
{
    int fd = path == NULL ? -1 : regular_file_open(AT_FDCWD, path, O_RDONLY);
    const char *why = NULL;
    char line[LINE];
    FILE *file;

    if (fd < 0)
        return path == NULL ? NULL : regular_file_error();
    file = memory_or_exit(fdopen(fd, "r"));
    for (size_t i = 0; why == NULL && fgets(line, LINE, file) != NULL;) {
        bool is_whole = strchr(line, '\n') != NULL || feof(file);

        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0')
            continue;
        if (!is_whole || i == HEADERS)
            why = "a line is too long, or there are too many";
        else if (strchr(line, ':') == NULL)
            why = "a line is not NAME: VALUE";
        else
            *headers++ = strcpy(lines[i++], line);
    }
    fclose(file);
    return why;
}

/* Classify a status. Redirects are not followed. Credentials and URL can be
   corrected later, so only an error of this profile is final. */
static enum push_result result_of(unsigned status)
{
    return status / 100 == 2 ? PUSH_ACCEPTED
           : status == 400 || status == 413 || status == 415 || status == 422
               ? PUSH_REFUSED
               : PUSH_LATER;
}

enum push_result push_send(const struct push_sender *sender,
                           const struct push_profile *profile,
                           struct http_answer *answer)
{
    static const char service[] = "/push.v1.PusherService/Push";
    size_t length = strlen(sender->url), end = strlen(service);
    bool is_service =
        length > end && strcmp(sender->url + length - end, service) == 0;
    char key[64], lines[HEADERS][LINE];
    const char *why;
    const char *headers[HEADERS + 3] = {
        key, is_service ? "Content-Type: application/json"
                        : "Content-Type: application/octet-stream"
    };
    char *name = http_escaped(profile->name), *json = NULL;
    char *url = memory_print(
        "%s%cname=%s&from=%" PRIu64 "&until=%" PRIu64 "&format=pprof",
        sender->url, strchr(sender->url, '?') == NULL ? '?' : '&', name,
        profile->from_ns / SECOND_NS, profile->until_ns / SECOND_NS);
    struct http_request request = { .method = "POST",
                                    .url = is_service ? sender->url : url,
                                    .headers = headers,
                                    .body = profile->bytes,
                                    .body_size = profile->size,
                                    .seconds = sender->seconds,
                                    .most = ANSWER_MOST,
                                    .is_over = sender->is_over };

    *answer = (struct http_answer){ 0 };
    snprintf(key, sizeof key, "Idempotency-Key: \"%s\"", profile->id);
    if (is_service) {
        FILE *out = memory_or_exit(open_memstream(&json, &request.body_size));

        write_service(out, profile);
        fclose(out);
        request.body = json;
    }
    why = read_headers(sender->headers, lines, headers + 2);
    if (why != NULL)
        snprintf(answer->why, sizeof answer->why, "%.100s: %s", sender->headers,
                 why);
    else if (http_client_send(sender->client, &request, answer) < 0)
        answer->status = 0; /* the answer is incomplete */
    else
        snprintf(answer->why, sizeof answer->why, "the server answered %u %.*s",
                 answer->status, (int)strcspn(answer->body, "\r\n"),
                 answer->body);
    free(answer->body);
    free(name);
    free(json);
    free(url);
    return result_of(answer->status);
}
