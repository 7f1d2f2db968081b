/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - a server with eight memory problems, or without them
 *
 *     tally record -o leaky.tally -- server
 *     tally report leaky.tally
 *
 * The first screen names the eight lines marked below. `server clean` answers
 * the same requests without the problems. Two threads serve; main() is their
 * client, over socket pairs. It ends after two seconds.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    KIB = 1024,
    MIB = 1024 * 1024,
    SERVERS = 2,
    ROUNDS = 130,
    ROUND_MS = 15,
    PAGES_KEPT = 16, /* pages of a clean cache */
    JOBS = 40000,
    RECORDS = 16000,
    BUFFERS = 10,
    LINES = 200,    /* of the log, per request */
    PIECES = 3000,  /* of an upload */
    PIECE = 64,     /* bytes */
    REPORT_AT = 40, /* round */
};

static bool is_clean;

/* Wrappers: their allocations are charged to their callers. */

static void *xrealloc(void *block, size_t size)
{
    block = realloc(block, size);
    if (block == NULL)
        abort();
    return block;
}

static void *xmalloc(size_t size)
{
    return xrealloc(NULL, size);
}

static void *xmemdup(const void *bytes, size_t size)
{
    return memcpy(xmalloc(size), bytes, size);
}

static char *xstrdup(const char *text)
{
    return xmemdup(text, strlen(text) + 1);
}

struct item {
    struct item *next;
    int number;
};

static void free_list(struct item *first)
{
    while (first != NULL) {
        struct item *next = first->next;

        free(first);
        first = next;
    }
}

/* 1: a cache that never evicts. */

struct cache {
    struct item *newest;
    int count;
};

static void cache_page(struct cache *cache)
{
    struct item *page = xmalloc(8 * KIB); /* growth */

    memset(page, 'p', 8 * KIB);
    page->next = cache->newest;
    cache->newest = page;
    if (is_clean && ++cache->count == PAGES_KEPT) {
        free_list(page->next);
        page->next = NULL;
        cache->count = 1;
    }
}

/* 2: a leak, behind three wrappers. */

static void log_in(void)
{
    char name[4 * KIB] = "";
    char *session;

    memset(name, 'n', sizeof name - 1);
    session = xstrdup(name); /* leak */
    if (is_clean)
        free(session);
}

/* 3: a block for each line, freed at once. */

static unsigned write_log(int round)
{
    char on_stack[100];
    unsigned written = 0;

    for (int i = 0; i < LINES; i++) {
        char *line = is_clean ? on_stack : xmalloc(100); /* churn */

        written += (unsigned)snprintf(line, 100, "round %d, line %d", round, i);
        if (!is_clean)
            free(line);
    }
    return written;
}

/* 4: a block that grows by 64 bytes. */

static void take_upload(void)
{
    char *upload = NULL;
    size_t size = 0, room = 0;

    for (int i = 0; i < PIECES; i++) {
        if (size + PIECE > room) {
            room = is_clean ? 2 * room + PIECE : room + PIECE;
            upload = xrealloc(upload, room); /* realloc */
        }
        memset(upload + size, 'u', PIECE);
        size += PIECE;
    }
    free(upload);
}

/* 5: as many small blocks as jobs, in each thread. */

static struct item *queue_jobs(void)
{
    struct item *first = NULL;

    if (is_clean)
        return memset(xmalloc(JOBS * sizeof *first), 0, JOBS * sizeof *first);
    for (int i = 0; i < JOBS; i++) {
        struct item *job = xmalloc(sizeof *job); /* small */

        *job = (struct item){ first, i };
        first = job;
    }
    return first;
}

/* 6: a spike that comes and goes. */

static void make_report(void)
{
    size_t size = is_clean ? 64 * KIB : 64 * MIB;
    char *report = xmalloc(size); /* spike */

    for (size_t done = 0; done < 64 * MIB; done += size)
        memset(report, 'r', size);
    free(report);
}

static void *serve(void *connection)
{
    struct cache cache = { NULL, 0 };
    struct item *jobs = queue_jobs();
    int round = 0;
    char request;

    while (read(*(int *)connection, &request, 1) == 1 && request != 'q') {
        for (int i = 0; i < 3; i++)
            cache_page(&cache);
        log_in();
        write_log(round++);
        if (request == 'u')
            take_upload();
        if (request == 'r')
            make_report();
        (void)!write(*(int *)connection, "a", 1);
    }
    free_list(cache.newest);
    free_list(jobs);
    return NULL;
}

/* 7: most records are freed, but one of eight keeps its page. */

static char *records[RECORDS];

static void import(void)
{
    for (int i = 0; i < RECORDS; i++) {
        if (!is_clean || i % 8 == 7)
            records[i] = memset(xmalloc(1000), 'i', 1000); /* slack */
    }
    for (int i = 0; i < RECORDS; i++) {
        if (i % 8 != 7) {
            free(records[i]);
            records[i] = NULL;
        }
    }
}

/* 8: large buffers of which only the first bytes are used. */

static char *buffers[BUFFERS];

static void open_buffers(void)
{
    for (int i = 0; i < BUFFERS; i++) {
        buffers[i] = xmalloc(is_clean ? KIB : MIB); /* untouched */
        memset(buffers[i], 'b', KIB);
    }
}

static void ask(const int *clients, char request)
{
    char answer;

    for (int i = 0; i < SERVERS; i++) {
        bool is_asked = write(clients[i], &request, 1) == 1;

        if (is_asked && request != 'q')
            (void)!read(clients[i], &answer, 1);
        request = request == 'r' ? 'g' : request; /* a single report is
                                                     enough */
    }
}

int main(int argc, char **argv)
{
    const struct timespec pause = { .tv_nsec = ROUND_MS * 1000000 };
    pthread_t threads[SERVERS];
    int servers[SERVERS], clients[SERVERS];

    is_clean = argc > 1 && strcmp(argv[1], "clean") == 0;
    import();
    open_buffers();
    for (int i = 0; i < SERVERS; i++) {
        int ends[2];

        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
            return 1;
        servers[i] = ends[0];
        clients[i] = ends[1];
        if (pthread_create(&threads[i], NULL, serve, &servers[i]) != 0)
            return 1;
    }
    for (int round = 0; round < ROUNDS; round++) {
        ask(clients, round == REPORT_AT ? 'r' : round % 60 == 9 ? 'u' : 'g');
        nanosleep(&pause, NULL);
    }
    ask(clients, 'q');
    for (int i = 0; i < SERVERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < RECORDS; i++)
        free(records[i]);
    for (int i = 0; i < BUFFERS; i++)
        free(buffers[i]);
    return 0;
}
