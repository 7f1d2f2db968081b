/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_drain.c - see events.h
 *
 * Each round visits all images, takes out their events and writes them.
 * Programs that fill their rings fast wake the thread; the others are visited
 * periodically.
 */
#include "tool/session/events/events.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    ROUND_EVENTS = 200000, /* limit of one image in a round */
    BUSY_EVENTS = 1000,    /* of all images; after fewer the thread sleeps */
};

#define MILLISECOND UINT64_C(1000000)

static const uint64_t active_wait_ns = 2 * MILLISECOND;
static const uint64_t idle_wait_ns = 10 * MILLISECOND;
static const uint64_t look_interval_ns = 50 * MILLISECOND;
static const uint64_t flush_interval_ns[] = {
    [EVENT_FORM_TEXT] = 200 * MILLISECOND,
    [EVENT_FORM_CTF] = 1000 * MILLISECOND,
};

struct drained_image {
    struct event_drain *drain;
    uint32_t number;
    struct ring_reader reader;
    struct event_output *output; /* NULL: no event yet */
    struct event_output other;
    uint64_t told_lost;
    uint64_t lost; /* before the first event */
    uint64_t flushed_ns;
};

static const struct image *image_of(const struct drained_image *drained)
{
    return &drained->drain->table.images[drained->number];
}

/* Return the distance of samples in bytes; 0: all calls are events. */
static uint64_t sample_interval(const struct event_drain *drain)
{
    const struct session_header *settings = &drain->session->settings;

    return settings->stacks == SESSION_STACKS_SAMPLED
               ? settings->sample_interval
               : 0;
}

static int open_other(struct drained_image *drained)
{
    const struct image *image = image_of(drained);
    struct event_drain *drain = drained->drain;
    struct session_failure *failure = session_failure_slot(&drain->failures);
    char path[IMAGE_PATH_SIZE], link[32], program[PATH_MAX];
    ssize_t length;

    if (image_path_make(path, drain->first.path, image->pid, image->generation,
                        "the events", failure) < 0 ||
        event_output_open(&drained->other, drain->form, path, failure) < 0)
        return -1;
    snprintf(link, sizeof link, "/proc/%ld/exe", (long)image->pid);
    length = readlink(link, program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    event_output_describe(&drained->other, (uint32_t)image->pid,
                          length < 0 ? NULL : program, sample_interval(drain));
    return 0;
}

/* Open the output of an image. If that fails, its events are still counted as
   lost. */
static void open_output(struct drained_image *drained)
{
    struct event_drain *drain = drained->drain;

    if (image_is_first(image_of(drained), drain->program)) {
        drained->output = &drain->first;
        return;
    }
    drained->output = &drained->other;
    if (open_other(drained) == 0)
        drain->other_count++;
    else
        drain->failures.count++;
}

static void take_event(void *context, const struct mem_trace_event *event)
{
    struct drained_image *drained = context;

    if (drained->output == NULL)
        open_output(drained);
    event_output_add(drained->output, event);
}

static void tell_lost(struct drained_image *drained)
{
    uint64_t lost = drained->reader.lost - drained->told_lost;

    drained->told_lost = drained->reader.lost;
    if (lost == 0)
        return;
    if (drained->output != NULL)
        event_output_lose(drained->output, lost);
    else
        drained->lost += lost;
}

static void close_output(struct event_drain *drain, struct event_output *output)
{
    event_output_close(output);
    drain->events += output->events;
    drain->lost += output->lost;
    if (output->error == 0)
        return;
    session_fail(session_failure_slot(&drain->failures),
                 "record: %s: %s; the trace ends before the program, make "
                 "room and record again",
                 output->path, strerror(output->error));
    drain->failures.count++;
}

/* Take out the last events of an image and close its output. */
static void end_image(struct drained_image *drained)
{
    struct event_drain *drain = drained->drain;

    ring_reader_take(&drained->reader, &drain->scale, true, UINT64_MAX,
                     take_event, drained);
    tell_lost(drained);
    ring_reader_close(&drained->reader);
    drain->lost += drained->lost;
    if (drained->output == &drained->other)
        close_output(drain, &drained->other);
    __atomic_store_n(&drain->done[drained->number],
                     1 + drained->lost + drained->other.lost, __ATOMIC_RELEASE);
}

static uint64_t drain_image(struct drained_image *drained)
{
    struct event_drain *drain = drained->drain;
    uint64_t taken;

    if (!image_of(drained)->is_open ||
        (drained->reader.area == NULL &&
         !ring_reader_open(&drained->reader, drain->session->fd,
                           session_extent_offset(drained->number))))
        return 0;
    taken = ring_reader_take(&drained->reader, &drain->scale, false,
                             ROUND_EVENTS, take_event, drained);
    tell_lost(drained);
    if (taken == 0 && drained->output != NULL &&
        drain->scale.ns - drained->flushed_ns >=
            flush_interval_ns[drain->form]) {
        drained->flushed_ns = drain->scale.ns;
        event_output_flush(drained->output);
    }
    return taken;
}

/* Add images that appeared since the last call. */
static void find_images(struct event_drain *drain)
{
    if (!image_table_refresh(&drain->table, drain->session))
        return;
    for (; drain->next < drain->table.count; drain->next++) {
        struct drained_image *drained = calloc(1, sizeof *drained);

        if (drained == NULL)
            return;
        drained->drain = drain;
        drained->number = drain->next;
        drain->images[drain->image_count++] = drained;
    }
}

/* Remove ended images from the list; with `all` set, remove all. */
static void end_images(struct event_drain *drain, bool all)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < drain->image_count; i++) {
        struct drained_image *drained = drain->images[i];

        if (!all && (!image_of(drained)->is_open ||
                     !image_has_ended(&drain->table, drained->number))) {
            drain->images[kept++] = drained;
            continue;
        }
        if (drained->reader.area == NULL)
            drain_image(drained);
        if (drained->reader.area != NULL)
            end_image(drained);
        else
            __atomic_store_n(&drain->done[drained->number], 1,
                             __ATOMIC_RELEASE);
        free(drained);
    }
    drain->image_count = kept;
}

static void sleep_for(struct event_drain *drain, uint64_t ns)
{
    struct timespec interval = { .tv_nsec = (long)ns };
    uint32_t *sleeping = &drain->session->header->events_sleeping;

    __atomic_store_n(sleeping, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&drain->is_finishing, __ATOMIC_SEQ_CST) == 0)
        syscall(SYS_futex, sleeping, FUTEX_WAIT, 1, &interval, NULL, 0);
    __atomic_store_n(sleeping, 0, __ATOMIC_RELEASE);
}

static void *run(void *whole)
{
    struct event_drain *drain = whole;
    long first;

    while (__atomic_load_n(&drain->is_finishing, __ATOMIC_ACQUIRE) == 0) {
        uint64_t taken = 0;

        tick_scale_update(&drain->scale);
        if (drain->scale.ns >= drain->next_look_ns ||
            session_file_ledger_count(drain->session) != drain->next) {
            drain->next_look_ns = drain->scale.ns + look_interval_ns;
            end_images(drain, false);
            find_images(drain);
        }
        for (uint32_t i = 0; i < drain->image_count; i++)
            taken += drain_image(drain->images[i]);
        if (taken < BUSY_EVENTS)
            sleep_for(drain, taken > 0 ? active_wait_ns : idle_wait_ns);
    }
    tick_scale_update(&drain->scale);
    find_images(drain);
    /* Each pass adds as many images as memory allows. */
    while (drain->next < drain->table.count) {
        uint32_t found = drain->next;

        end_images(drain, true);
        find_images(drain);
        if (drain->next == found)
            break;
    }
    end_images(drain, true);
    close_output(drain, &drain->first);
    first = image_table_find_first(&drain->table, drain->program);
    if (first >= 0)
        drain->done[first] += drain->first.lost;
    return NULL;
}

int event_drain_begin(struct event_drain *drain,
                      struct session_failure *failure)
{
    sigset_t all, old;
    int error;

    tick_scale_begin(&drain->scale,
                     (enum events_clock)drain->session->settings.events_clock);
    drain->done = calloc(SESSION_CAPACITY, sizeof *drain->done);
    drain->images = calloc(SESSION_CAPACITY, sizeof *drain->images);
    if (drain->done == NULL || drain->images == NULL)
        return session_fail(failure, "record: out of memory; free some");
    /* The output is missing if its name became known only after the program
       started. */
    if (drain->first.buffer != NULL)
        event_output_describe(&drain->first, (uint32_t)drain->program,
                              drain->program_path, sample_interval(drain));
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(&drain->thread, NULL, run, drain);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error != 0)
        return session_fail(failure, "record: no thread for the trace: %s",
                            strerror(error));
    drain->is_running = true;
    return 0;
}

bool event_drain_is_done(const struct event_drain *drain, uint32_t number)
{
    return !drain->is_running ||
           __atomic_load_n(&drain->done[number], __ATOMIC_ACQUIRE) != 0;
}

void event_drain_finish(struct event_drain *drain)
{
    uint32_t *sleeping = &drain->session->header->events_sleeping;

    if (drain->is_running) {
        __atomic_store_n(&drain->is_finishing, 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(sleeping, 0, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, sleeping, FUTEX_WAKE, 1, NULL, NULL, 0);
        pthread_join(drain->thread, NULL);
    }
    drain->is_running = false;
    image_table_free(&drain->table);
    free(drain->images);
    drain->images = NULL;
}

uint64_t event_drain_lost(const struct event_drain *drain, uint32_t number)
{
    return drain->done == NULL || drain->done[number] == 0
               ? 0
               : drain->done[number] - 1;
}

void event_drain_end(struct event_drain *drain)
{
    free(drain->done);
    drain->done = NULL;
}
