/* SPDX-License-Identifier: Apache-2.0 */
/*
 * served_page.c - see server.h
 *
 * Data are made again as often as costs one sixtieth of a CPU, which leaves
 * something of 2 % for handing them out. All who read them at the same time
 * share one copy.
 */
#include "tool/web/server.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tool/web/page.h"

enum {
    EVENT_SIZE = 64,
    SECOND_MS = 1000,
    SHARE = 60, /* of the time that data may cost */
};

struct served_page {
    struct web_content content;
    _Atomic unsigned uses; /* its owner's, and those of listeners */
    pthread_mutex_t lock;  /* of what follows */
    struct MHD_Response *data;
    uint64_t next_ms; /* when data may be made again */
    unsigned version; /* of data */
    enum web_state state;
};

static uint64_t now_ms(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND_MS + (uint64_t)now.tv_nsec / 1000000;
}

/* With the lock: make data if they may be newer. */
static void refresh(struct served_page *page)
{
    const struct web_content *content = &page->content;
    uint64_t began = now_ms(CLOCK_MONOTONIC), cost;
    uint64_t used = now_ms(CLOCK_THREAD_CPUTIME_ID);
    char *data = NULL;
    size_t size = 0;
    FILE *out;

    if (page->data != NULL && (!content->is_live || page->state == WEB_ENDED ||
                               began < page->next_ms))
        return;
    out = memory_or_exit(open_memstream(&data, &size));
    page->state = content->write(content->context, out);
    fclose(out);
    /* The first time symbols are read as well. */
    cost = page->version == 0
               ? 0
               : (now_ms(CLOCK_THREAD_CPUTIME_ID) - used) * SHARE;
    page->next_ms = began + (cost > SECOND_MS ? cost : SECOND_MS);
    if (size == 0) {
        free(data);
        return;
    }
    if (page->data != NULL)
        web_body_free(page->data);
    page->data = web_body("application/octet-stream", data, size);
    page->version++;
}

struct served_page *served_page_open(const struct web_content *content)
{
    struct served_page *page = memory_zeroed(1, sizeof *page);

    page->content = *content;
    page->uses = 1;
    pthread_mutex_init(&page->lock, NULL);
    refresh(page);
    if (page->data != NULL)
        return page;
    page->content.end = NULL;
    served_page_close(page);
    return NULL;
}

struct served_page *served_page_share(struct served_page *page)
{
    page->uses++;
    return page;
}

void served_page_close(struct served_page *page)
{
    if (atomic_fetch_sub(&page->uses, 1) != 1)
        return;
    if (page->content.end != NULL)
        page->content.end(page->content.context);
    if (page->data != NULL)
        web_body_free(page->data);
    free(page);
}

static int send_page(const struct served_page *page,
                     const struct web_request *request)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &size));

    page_write(out, &(struct page_subject){ .title = page->content.title,
                                            .is_served = true });
    fclose(out);
    return web_reply(request, 200, "text/html; charset=utf-8", text, size);
}

static int send_data(struct served_page *page,
                     const struct web_request *request)
{
    int result;

    pthread_mutex_lock(&page->lock);
    refresh(page);
    result = web_share(request, page->data);
    pthread_mutex_unlock(&page->lock);
    return result;
}

/* One reader of events. */
struct listener {
    struct served_page *page;
    unsigned version;     /* of its last event */
    enum web_state state; /* last one sent */
};

static void end_listener(void *listener)
{
    served_page_close(((struct listener *)listener)->page);
    free(listener);
}

/* Waits until there is something to say, but looks up now and then. */
static ssize_t next_event(void *context, uint64_t position, char *out,
                          size_t size)
{
    static const char *const events[] = {
        [WEB_AWAY] = "event: away\ndata:\n\n",
        [WEB_ENDED] = "event: end\ndata:\n\n",
    };
    struct listener *listener = context;
    struct served_page *page = listener->page;
    const struct timespec pause = { 0, 200 * 1000000 };
    const char *event = NULL;

    (void)position;
    if (listener->state == WEB_ENDED)
        return WEB_STREAM_END;
    if (size < EVENT_SIZE)
        return 0;
    for (unsigned i = 0; i < 25 && event == NULL && !web_is_over(); i++) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&page->lock);
        refresh(page);
        if (page->version != listener->version) {
            event = "data:\n\n";
            listener->version = page->version;
        } else {
            enum web_state state =
                page->content.is_live ? page->state : WEB_ENDED;

            event = state == listener->state ? NULL : events[state];
            listener->state = state;
        }
        pthread_mutex_unlock(&page->lock);
    }
    if (web_is_over())
        return WEB_STREAM_END;
    if (event == NULL)
        event = ":\n\n"; /* a closed connection is noticed by this */
    strcpy(out, event);
    return (ssize_t)strlen(event);
}

static int send_events(struct served_page *page,
                       const struct web_request *request)
{
    struct listener *listener = memory_zeroed(1, sizeof *listener);

    pthread_mutex_lock(&page->lock);
    *listener = (struct listener){ served_page_share(page), page->version,
                                   WEB_GOES_ON };
    pthread_mutex_unlock(&page->lock);
    return web_stream(request, "text/event-stream", next_event, listener,
                      end_listener);
}

int served_page_answer(struct served_page *page,
                       const struct web_request *request, const char *name)
{
    if (*name == '\0')
        return send_page(page, request);
    if (strcmp(name, "data") == 0)
        return send_data(page, request);
    if (strcmp(name, "events") == 0)
        return send_events(page, request);
    return web_tell(request, 404, "there is no such page\n");
}
