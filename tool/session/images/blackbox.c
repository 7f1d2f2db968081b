/* SPDX-License-Identifier: Apache-2.0 */
/* blackbox.c - see images.h */
#define _GNU_SOURCE
#include "tool/session/images/images.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LEAST_WAIT_MS = 2,
    MOST_WAIT_MS = 20,
    GUARDED_WAIT_MS = 250,
    ASKING_MS = 10000,
};

#define SECOND UINT64_C(1000000000)

/* Few programs grow faster than this; the rate of faster ones is measured. */
static const double assumed_rate = (double)(UINT64_C(1) << 30) / SECOND;

static const unsigned shares[] = { 800, 900, 950 }; /* per mille */
enum { SHARE_COUNT = sizeof shares / sizeof shares[0], FALLEN = 50 };

/* offset of a field of the request */
#define COPY_FIELD(field) \
    (off_t)(SESSION_COPY + offsetof(struct session_copy, field))

/* held by the keeper as long as it runs */
static const struct flock copy_lock = {
    .l_type = F_WRLCK,
    .l_whence = SEEK_SET,
    .l_start = SESSION_COPY,
    .l_len = 1,
};

/*
 * Find the image whose process has the most memory. Return false if none is
 * alive. Searches take at most 1 % of a CPU.
 */
static bool find_greatest(struct blackbox *box, struct image_table *table)
{
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), most = 0, took;

    for (uint32_t i = 0; i < table->count; i++) {
        struct image *image = &table->images[i];
        uint64_t held;

        if (!image->is_open || image->is_gone)
            continue;
        image->is_gone = image_has_ended(table, i);
        held =
            image->is_gone ? 0 : process_status_read(image->pid, "VmRSS:", 10);
        if (held > most) {
            most = held;
            box->greatest = i;
        }
    }
    took = clock_ns(CLOCK_MONOTONIC) - begin;
    box->next_find_ns =
        begin + (took * 100 > SECOND / 10 ? took * 100 : SECOND / 10);
    box->has_greatest = most != 0;
    return box->has_greatest;
}

void blackbox_begin(struct blackbox *box)
{
    kept_copies_begin(&box->kept);
    (void)fcntl(box->session->fd, F_SETLK, &copy_lock);
    /* Lock our own pages: the kernel would drop them when memory is short. */
    (void)!mlockall(MCL_CURRENT | MCL_ONFAULT);
}

/* Make a copy of one image. Return 0 or an errno. Failures are counted, except
   for a missing ledger. */
static int take(struct blackbox *box, const struct image_table *table,
                uint32_t number, const struct memory_nearness *near)
{
    struct blackbox_account *account = box->account;
    const struct live_ledger ledger = { box->session->fd,
                                        session_extent_offset(number),
                                        table->images[number].pid };
    struct ledger_snapshot copy;
    int error = EBADMSG;

    if (ledger_snapshot_take(ledger.fd, ledger.offset, &copy) < 0)
        return errno;
    /* When memory is short, reading resident memory may block until some is
       free. */
    if (near->per_mille < shares[0])
        live_ledger_read_resident(&ledger, &copy, NULL);
    site_history_fetch(&copy);
    event_tail_add(&copy);
    copy.header->copied_limit = near->limit;
    copy.header->copied_used = near->used;
    if (timeline_store_close(&copy, clock_ns(CLOCK_REALTIME)))
        error = kept_copies_write(
            &box->kept, &copy, ledger.pid,
            near->per_mille < shares[0]   ? KEPT_COPIES_TO_DISK
            : near->per_mille < shares[1] ? KEPT_COPIES_TO_CACHE
                                          : KEPT_COPIES_PAST_CACHE);
    ledger_snapshot_free(&copy);
    strcpy(account->written, box->kept.written);
    account->taken += error == 0;
    account->per_mille = near->per_mille;
    account->limit = near->limit;
    account->failed += error != 0;
    if (error != 0)
        account->error = error;
    return error;
}

/* Answer a request of tally snapshot. */
static void answer(struct blackbox *box, const struct image_table *table,
                   const struct memory_nearness *near)
{
    static const struct memory_nearness unknown; /* limits of other processes
                                                    are not read */
    struct session_copy copy;
    int fd = box->session->fd;

    if (pread(fd, &copy, sizeof copy, SESSION_COPY) != sizeof copy ||
        copy.ticket == copy.answered)
        return;
    copy.error =
        copy.asked < table->count && table->images[copy.asked].is_open
            ? (uint32_t)take(box, table, copy.asked,
                             copy.asked == box->greatest ? near : &unknown)
            : EINVAL;
    strcpy(copy.path, box->kept.written);
    (void)!pwrite(fd, &copy.error, sizeof copy.error, COPY_FIELD(error));
    (void)!pwrite(fd, copy.path, sizeof copy.path, COPY_FIELD(path));
    (void)!pwrite(fd, &copy.ticket, sizeof copy.ticket, COPY_FIELD(answered));
}

/* Request a copy. Return the ticket, or 0 to try again. */
static uint32_t ask(int fd, uint32_t number)
{
    uint32_t ticket;

    if (flock(fd, LOCK_EX | LOCK_NB) < 0 ||
        pread(fd, &ticket, sizeof ticket, COPY_FIELD(ticket)) < 0)
        return 0;
    ticket++;
    (void)!pwrite(fd, &number, sizeof number, COPY_FIELD(asked));
    return pwrite(fd, &ticket, sizeof ticket, COPY_FIELD(ticket)) > 0 ? ticket
                                                                      : 0;
}

int blackbox_ask(int session_fd, uint64_t offset, char written[PATH_MAX])
{
    static const struct timespec interval = { .tv_nsec = 10000000 };
    struct session_copy copy = { 0 };
    struct session_header header;
    uint32_t ticket = 0;
    int error = ETIME;

    errno = ENOMSG;
    if (pread(session_fd, &header, sizeof header, 0) != sizeof header ||
        header.blackbox_rings == 0)
        return -1;
    for (int i = 0; i < ASKING_MS / 10 && error == ETIME; i++) {
        struct flock lock = copy_lock;
        bool is_kept =
            fcntl(session_fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;

        if (ticket == 0)
            ticket =
                ask(session_fd, (uint32_t)(offset / SESSION_EXTENT_SIZE) - 1);
        else if (pread(session_fd, &copy, sizeof copy, SESSION_COPY) > 0 &&
                 copy.answered == ticket)
            error = (int)copy.error;
        if (error == ETIME && !is_kept)
            error = ESRCH;
        if (error == ETIME)
            nanosleep(&interval, NULL);
    }
    flock(session_fd, LOCK_UN);
    snprintf(written, PATH_MAX, "%.*s", PATH_MAX - 1, copy.path);
    errno = error;
    return error == 0 ? 0 : -1;
}

/* Add the limit in the program's ledger to `near`. Return the number of refused
   requests. */
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

/* Return true if memory runs short. Each share and each refusal counts once. */
static bool is_due(struct blackbox *box, uint64_t refused,
                   const struct memory_nearness *near, uint64_t now)
{
    unsigned level = 0;
    bool is_short;

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
    return is_short;
}

/* Return half of the time until the next share is reached at the current
   growth. */
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

int blackbox_poll(struct blackbox *box, struct image_table *table, int wait_ms)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    struct memory_nearness near;
    uint64_t refused;
    int wait = MOST_WAIT_MS;

    if (image_table_refresh(table, box->session) &&
        ((box->has_greatest && now < box->next_find_ns) ||
         find_greatest(box, table))) {
        memory_limits_look(&box->limits, table->images[box->greatest].pid,
                           &near);
        refused = look_at_ledger(box, box->greatest, &near);
        if (box->refused_to != box->greatest) {
            box->refused_to = box->greatest;
            box->refused = refused;
        }
        if ((is_due(box, refused, &near, now) || box->asked != box->answered) &&
            find_greatest(box, table)) {
            box->answered = box->asked;
            take(box, table, box->greatest, &near);
        }
        answer(box, table, &near);
        wait = wait_for(box, &near, now);
    }
    return wait_ms < wait ? wait_ms : wait;
}
