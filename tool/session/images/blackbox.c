/* SPDX-License-Identifier: Apache-2.0 */
/* blackbox.c - see blackbox.h */
#define _GNU_SOURCE
#include "tool/session/images/blackbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "format/ledger/ledger_reader.h"
#include "tool/session/clock.h"
#include "tool/session/events/event_tail.h"
#include "tool/session/find/process_state.h"
#include "tool/session/images/ledger_file.h"
#include "tool/session/sampling/timeline.h"

enum { LEAST_WAIT_MS = 2, MOST_WAIT_MS = 20, GUARDED_WAIT_MS = 250 };

#define SET_APART (UINT64_C(16) << 20) /* bytes of each file */
#define SECOND    UINT64_C(1000000000)

/* Faster than this hardly any program grows; of what does we see how fast. */
static const double assumed_rate = (double)(UINT64_C(1) << 30) / SECOND;

static const unsigned shares[] = { 800, 900, 950 }; /* per mille */
enum { SHARE_COUNT = sizeof shares / sizeof shares[0], FALLEN = 50 };

/* A file without a name that has its room already; -1 with errno. */
static int set_apart(const char *folder, unsigned times)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    int error =
        fd < 0 ? errno : posix_fallocate(fd, 0, times * (off_t)SET_APART);

    if (error == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

int blackbox_try(const char *folder)
{
    int fd = set_apart(folder, BLACKBOX_KEPT + 1);

    return fd < 0 ? -1 : close(fd);
}

void blackbox_begin(struct blackbox *box)
{
    for (size_t i = 0; i <= BLACKBOX_KEPT; i++)
        box->files[i] = set_apart(box->folder, 1);
    /* Our own pages must not be dropped when memory is short. */
    (void)!mlockall(MCL_CURRENT | MCL_ONFAULT);
}

/* The image whose process has the most memory, or that one. */
static uint32_t find_greatest(const struct image_table *table, uint32_t number)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < table->count; i++) {
        uint64_t held =
            !table->images[i].is_open || image_has_ended(table, i)
                ? 0
                : process_status_read(table->images[i].pid, "VmRSS:", 10);

        if (held > most) {
            most = held;
            number = i;
        }
    }
    return number;
}

static void make_name(const struct blackbox *box, pid_t pid,
                      char name[PATH_MAX])
{
    uint64_t now = clock_ns(CLOCK_REALTIME);
    time_t seconds = (time_t)(now / SECOND);
    const char *slash = strrchr(box->program, '/');
    char when[32];
    struct tm parts;

    strftime(when, sizeof when, "%Y%m%dT%H%M%S", gmtime_r(&seconds, &parts));
    snprintf(name, PATH_MAX, "%.*s%.200s.%ld.%s.%03u.tally", PATH_MAX - 300,
             box->folder, slash == NULL ? box->program : slash + 1, (long)pid,
             when, (unsigned)(now % SECOND / 1000000));
}

/* Under its name only once it is whole. */
static int write_copy(struct blackbox *box, const struct ledger_snapshot *copy,
                      pid_t pid)
{
    char *oldest = box->names[box->account->taken % BLACKBOX_KEPT];
    char name[PATH_MAX], path[32];
    int *file = box->files, error = 0;

    while (*file < 0 && file < box->files + BLACKBOX_KEPT)
        file++;
    if (*file < 0 && (*file = set_apart(box->folder, 1)) < 0)
        return -1;
    make_name(box, pid, name);
    snprintf(path, sizeof path, "/proc/self/fd/%d", *file);
    if (ledger_file_fill(copy, *file) < 0 ||
        linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) < 0) {
        error = errno;
    } else {
        fdatasync(*file);
        if (*oldest != '\0')
            unlink(oldest);
        else
            error = -1; /* it had room of its own */
        strcpy(oldest, name);
        strcpy(box->account->written, name);
    }
    close(*file);
    *file = error < 0 ? -1 : set_apart(box->folder, 1);
    errno = error;
    return error > 0 ? -1 : 0;
}

static void take(struct blackbox *box, const struct image_table *table,
                 uint32_t number, const struct memory_nearness *near)
{
    struct blackbox_account *account = box->account;
    struct ledger_snapshot copy;
    int error = EBADMSG;

    if (ledger_snapshot_take(box->session->fd, session_extent_offset(number),
                             &copy) < 0)
        return;
    event_tail_add(&copy);
    if (timeline_store_close(&copy, clock_ns(CLOCK_REALTIME), NULL))
        error =
            write_copy(box, &copy, table->images[number].pid) < 0 ? errno : 0;
    ledger_snapshot_free(&copy);
    account->per_mille = near->per_mille;
    account->limit = near->limit;
    account->taken += error == 0;
    if (error != 0) {
        account->failed++;
        account->error = error;
    }
}

/* What the program says itself. Returns how many requests were refused. */
static uint64_t look_at_ledger(const struct blackbox *box, uint32_t number,
                               struct memory_nearness *near)
{
    struct ledger_header header;

    if (ledger_header_read(box->session->fd, session_extent_offset(number),
                           &header) < 0)
        return box->refused;
    if (header.live_limit != 0) {
        memory_nearness_note(near, header.live_held, header.live_limit);
        near->is_guarded = false;
    }
    return header.counts[LEDGER_COUNT_failed_allocations];
}

static bool is_due(struct blackbox *box, uint64_t refused,
                   const struct memory_nearness *near, uint64_t now)
{
    bool is_asked = box->asked != box->account->answered, is_short;
    unsigned level = 0;

    while (level < SHARE_COUNT && near->per_mille >= shares[level])
        level++;
    is_short = level > box->level ||
               (now >= box->next_copy_ns &&
                (refused > box->refused || (near->is_hit && level > 0)));
    if (level > box->level ||
        (box->level > 0 && near->per_mille + FALLEN < shares[box->level - 1]))
        box->level = level;
    if (is_short) {
        box->refused = refused;
        box->next_copy_ns = now + SECOND;
        box->account->near++;
    }
    box->account->answered = box->asked;
    return is_short || is_asked;
}

/* Half of the time that it takes to the next share, at its present growth. */
static int wait_for(struct blackbox *box, const struct memory_nearness *near,
                    uint64_t now)
{
    double per_mille = (double)near->limit / 1000, left, wait_ms;
    double rate = ((double)near->per_mille - box->last_per_mille) * per_mille /
                  (double)(now - box->last_look_ns);

    box->last_look_ns = now;
    box->last_per_mille = near->per_mille;
    if (near->is_guarded)
        return GUARDED_WAIT_MS;
    if (near->limit == 0 || box->level == SHARE_COUNT)
        return MOST_WAIT_MS;
    left = ((double)shares[box->level] - near->per_mille) * per_mille;
    wait_ms = left / (rate > assumed_rate ? rate : assumed_rate) / 2e6;
    return wait_ms < LEAST_WAIT_MS  ? LEAST_WAIT_MS
           : wait_ms > MOST_WAIT_MS ? MOST_WAIT_MS
                                    : (int)wait_ms;
}

int blackbox_poll(struct blackbox *box, struct image_table *table,
                  pid_t program, int wait_ms)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    struct memory_nearness near;
    uint32_t number;
    int wait = MOST_WAIT_MS;

    if (image_table_refresh(table, box->session) &&
        table->latest[program] != 0) {
        number = table->latest[program] - 1;
        memory_limits_look(&box->limits, program, &near);
        if (is_due(box, look_at_ledger(box, number, &near), &near, now))
            take(box, table, find_greatest(table, number), &near);
        wait = wait_for(box, &near, now);
    }
    return wait_ms < wait ? wait_ms : wait;
}
