/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_writer.c - write each ledger to its file in time
 *
 * This file is long because releasing ledgers while the program runs and
 * writing them at its end share one account and one way to disk.
 */
#include "tool/session/images/images.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tool/files/files.h"
#include "tool/text/text.h"

enum { SEARCH_INTERVAL_MS = 50, LOOKS_AT_MAPS = 20 };

/* memory to release that makes a search worthwhile, bytes */
#define HELD_BYTES (UINT64_C(8) << 20)

int image_writer_check_place(const char *path, int must_be_new,
                             struct session_failure *failure)
{
    char folder[PATH_MAX];
    char images[PATH_MAX + 8];
    const char *names[] = { path, images };
    struct stat status;
    bool is_long = strlen(path) > PATH_MAX - 64; /* leaves room for all
                                                    suffixes */

    errno = 0;
    if (*path == '\0' || path[strlen(path) - 1] == '/')
        return session_fail(failure,
                            "record: '%s' is no file name; give one "
                            "with -o FILE",
                            path);
    snprintf(images, sizeof images, "%s.d", path);
    for (size_t i = 0; i < 2 && !is_long; i++) {
        if (lstat(names[i], &status) == 0 && must_be_new)
            return session_fail(failure,
                                "record: %s: exists already; replace it with "
                                "--force, or name another with -o FILE",
                                names[i]);
        is_long = errno == ENAMETOOLONG;
    }
    if (is_long)
        return session_fail(failure,
                            "record: %.60s...: name too long; use a "
                            "shorter one",
                            path);
    ledger_file_folder(path, folder);
    if (output_try(path) < 0)
        return session_fail(failure,
                            "record: %s: cannot write there: %s; name "
                            "another file with -o FILE",
                            folder, strerror(errno));
    return 0;
}

static void add_notice(struct closing_account *account,
                       const struct ledger_notice_view *view)
{
    struct closing_notice notice = { .code = view->code };
    size_t length = view->text.length;

    if (length >= sizeof notice.text)
        length = sizeof notice.text - 1;
    if (length > 0)
        memcpy(notice.text, view->text.bytes, length);
    escape_here(ESCAPE_TERMINAL, notice.text);
    for (uint32_t i = 0; i < account->notice_count; i++) {
        if (account->notices[i].code == notice.code &&
            strcmp(account->notices[i].text, notice.text) == 0)
            return;
    }
    if (account->notice_count < CLOSING_NOTICE_CAPACITY)
        account->notices[account->notice_count++] = notice;
    else
        account->more_notices++;
}

/* Add the notices and counts of an image. Equal notices are kept once. */
static void add_notices(struct closing_account *account,
                        const struct ledger_snapshot *snapshot)
{
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_notice_view view;

    if (ledger_reader_open(&reader, snapshot->bytes, snapshot->size) !=
        LEDGER_E_OK)
        return;
    while (ledger_reader_next_notice(&reader, &cursor, &view) > 0)
        add_notice(account, &view);
    for (uint32_t i = 0; i < LEDGER_COUNT_COUNT; i++)
        account->counts[i] +=
            ledger_reader_count(&reader, (enum ledger_count)i);
    ledger_reader_sampling(&reader, &account->sampling);
}

/* Return -1 after noting the failure. */
static int write_file(struct image_writer *writer,
                      const struct ledger_snapshot *snapshot, const char *path,
                      char written[PATH_MAX])
{
    if (ledger_file_write(snapshot, path, 0, written) == 0)
        return 0;
    return session_fail(session_failure_slot(&writer->failures),
                        "record: %s: %s; the accounts are lost, make room and "
                        "record again",
                        path, strerror(errno));
}

static int send_file(struct image_writer *writer,
                     const struct ledger_snapshot *snapshot)
{
    strcpy(writer->written, "-");
    if (ledger_file_send(snapshot, writer->output) == 0)
        return 0;
    return session_fail(session_failure_slot(&writer->failures),
                        "record: standard output: %s; the accounts are lost, "
                        "record again with -o FILE",
                        strerror(errno));
}

static int write_first(struct image_writer *writer,
                       const struct ledger_snapshot *snapshot)
{
    memcpy(&snapshot->header->counts[LEDGER_COUNT_unrecorded_images],
           writer->missing, sizeof writer->missing);
    add_notices(&writer->account, snapshot);
    if (writer->output == 0
            ? write_file(writer, snapshot, writer->path, writer->written) == 0
            : send_file(writer, snapshot) == 0)
        return 0;
    writer->written[0] = '\0';
    return -1;
}

static int write_other(struct image_writer *writer, struct image *image,
                       const struct ledger_snapshot *snapshot)
{
    struct session_failure *failure = session_failure_slot(&writer->failures);
    char path[IMAGE_PATH_SIZE];
    char written[PATH_MAX];

    add_notices(&writer->account, snapshot);
    if (image_path_make(path, writer->path, image->pid, image->generation,
                        "the accounts", failure) < 0 ||
        write_file(writer, snapshot, path, written) < 0)
        return -1;
    image->is_in_place = strcmp(written, path) == 0;
    writer->other_count++;
    if (image->pid == writer->program &&
        image->generation > writer->last_generation)
        writer->last_generation = image->generation;
    if (!snapshot->header->ended)
        writer->running_count++;
    return 0;
}

static void set_end(const struct image_writer *writer,
                    struct ledger_header *header, bool is_the_program,
                    uint64_t now)
{
    int status = writer->status;

    header->ended = 1;
    header->end_ns = now;
    if (!is_the_program || !writer->has_status)
        return;
    header->end = WIFEXITED(status) ? LEDGER_END_EXITED : LEDGER_END_KILLED;
    header->end_code =
        (uint32_t)(WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void write_image(struct image_writer *writer, uint32_t number,
                        bool has_ended)
{
    struct image *image = &writer->table.images[number];
    struct ledger_snapshot snapshot;
    struct ledger_totals totals;
    bool is_readable;
    uint64_t *lost;
    uint64_t now = image->is_over ? image->ended_ns : clock_ns(CLOCK_REALTIME);
    int result;

    image->is_written = true;
    if (writer->path[0] == '\0') {
        timeline_forget_image(image);
        return;
    }
    if (ledger_snapshot_take(writer->session->fd, session_extent_offset(number),
                             &snapshot) < 0) {
        session_fail(session_failure_slot(&writer->failures),
                     "record: process %ld: its ledger cannot be "
                     "read: %s; the accounts are lost",
                     (long)image->pid, strerror(errno));
        writer->failures.count++;
        timeline_forget_image(image);
        return;
    }
    if (has_ended)
        set_end(writer, snapshot.header,
                image->pid == writer->program &&
                    image_is_latest(&writer->table, number),
                now);
    event_tail_add(&snapshot);
    snapshot.fd = -1; /* the last copy: peaks of the session stay as they are */
    is_readable = timeline_close_image(image, &snapshot, now, &totals);
    /* The program only knows of events lost before they left it. */
    lost = &snapshot.header->counts[LEDGER_COUNT_lost_events];
    if (writer->events != NULL &&
        event_drain_lost(writer->events, number) > *lost)
        *lost = event_drain_lost(writer->events, number);
    if (image_is_first(image, writer->program)) {
        writer->account.totals = totals;
        writer->account.is_readable = is_readable;
        result = write_first(writer, &snapshot);
    } else {
        result = write_other(writer, image, &snapshot);
    }
    writer->failures.count += result < 0;
    ledger_snapshot_free(&snapshot);
}

static uint32_t count_alive(const struct image_table *table)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < table->count; i++)
        count += table->images[i].is_open && !image_has_ended(table, i);
    return count;
}

/* Return true if a ledger can be released: its image has ended, no process was
   seen to map it, and all its events are in the trace. */
static bool may_go(const struct image_writer *writer, uint32_t number)
{
    const struct image *image = &writer->table.images[number];

    return image->is_open && !image->is_written && !image->is_mapped &&
           !image_is_first(image, writer->program) &&
           (writer->events == NULL ||
            event_drain_is_done(writer->events, number)) &&
           image_has_ended(&writer->table, number);
}

/*
 * Release ended images once it is worth a search. Above the limit the oldest go
 * first, even if a process that hides its mappings may need them. If that is
 * not enough, no ledgers are assigned until it is.
 */
static void release(struct image_writer *writer)
{
    const struct session_file *session = writer->session;
    struct image_table *table = &writer->table;
    uint64_t most = writer->most,
             resident = session_file_resident_bytes(session);

    if ((resident <= writer->unreleased_bytes + HELD_BYTES &&
         resident <= most && !writer->is_full) ||
        !image_table_refresh(table, session))
        return;
    image_table_find_mapped(table, session, &writer->without);
    for (unsigned is_forced = 0; is_forced < 2; is_forced++) {
        for (uint32_t i = 0; i < table->count; i++) {
            if (!may_go(writer, i) ||
                (is_forced != 0 ? session_file_resident_bytes(session) <= most
                                : image_is_suspected(table, i)))
                continue;
            write_image(writer, i, true);
            session_file_release(session, i);
        }
    }
    resident = session_file_resident_bytes(session);
    writer->is_full =
        resident > most || (writer->is_full && resident > most - most / 8);
    writer->was_full |= writer->is_full;
    __atomic_store_n(&session->header->ledger_capacity,
                     writer->is_full ? 0 : SESSION_CAPACITY, __ATOMIC_RELEASE);
    writer->unreleased_bytes = resident;
}

int image_writer_poll(struct image_writer *writer)
{
    bool has_others = session_file_ledger_count(writer->session) > 1;
    int wait_ms;

    if (has_others && clock_ns(CLOCK_MONOTONIC) >= writer->next_search_ns) {
        release(writer);
        writer->next_search_ns =
            clock_ns(CLOCK_MONOTONIC) + SEARCH_INTERVAL_MS * UINT64_C(1000000);
    }
    wait_ms = timeline_sampler_poll(&writer->sampler, &writer->table,
                                    writer->session);
    return has_others && wait_ms > SEARCH_INTERVAL_MS ? SEARCH_INTERVAL_MS
                                                      : wait_ms;
}

/*
 * Count the processes that are or may become recorded. A process first maps its
 * parent's ledger, is then expected to have its own, and then has it. Counting
 * in this order misses no process that advances meanwhile.
 */
static uint32_t count_mapped(struct image_writer *writer)
{
    struct image_table *table = &writer->table;
    uint32_t known = table->count, count = 0;
    bool is_sure = image_table_find_mapped(&writer->table, writer->session,
                                           &writer->without);

    for (uint32_t i = 0; i < known; i++)
        count += table->images[i].is_mapped;
    if (!is_sure && count == 0)
        return count_alive(table);
    if (!image_table_refresh(table, writer->session) || count > 0)
        return count;
    return image_table_missing(table, writer->session, true) +
           (table->count - known);
}

uint32_t image_writer_running(struct image_writer *writer)
{
    uint32_t count = 0;

    if (!image_table_refresh(&writer->table, writer->session))
        return 0;
    /* After an exec of a program without the recorder, a process is alive but
       maps no ledger. */
    if (writer->running_looks++ % LOOKS_AT_MAPS != 0)
        count = count_alive(&writer->table);
    if (count == 0)
        count = count_mapped(writer);
    writer->is_over = count == 0;
    return count;
}

/* Note the guest by its place among the arguments in the ledger. */
static void add_guest(const struct image_writer *writer,
                      struct ledger_snapshot *snapshot)
{
    struct ledger_notice *notice = (void *)ledger_snapshot_add(
        snapshot, LEDGER_SEGMENT_NOTICES, 0,
        LEDGER_NOTICES_PER_SEGMENT * sizeof *notice);
    const struct ledger_text *all = &snapshot->header->command_line;
    uint64_t at = 0, length = strlen(writer->guest);

    for (char *const *next = writer->arguments; *next != writer->guest; next++)
        at += strlen(*next) + 1;
    if (notice == NULL || at + length > all->length)
        return;
    notice[1] = (struct ledger_notice){
        .code = LEDGER_NOTICE_child_foreign,
        .times = 1,
        .text = { .offset = all->offset + at, .length = (uint32_t)length },
    };
    snapshot->header->notice_count = 1;
}

static void write_empty(struct image_writer *writer)
{
    struct ledger_snapshot snapshot;
    struct ledger_header *header;

    writer->is_empty = true;
    if (ledger_snapshot_make_empty(&snapshot, writer->program_path,
                                   writer->arguments) < 0)
        return;
    header = snapshot.header;
    header->control = writer->session->settings.control;
    header->pid = (uint32_t)writer->program;
    header->parent_pid = (uint32_t)getpid();
    set_end(writer, header, true, clock_ns(CLOCK_REALTIME));
    header->start_ns = header->end_ns;
    if (writer->guest != NULL)
        add_guest(writer, &snapshot);
    else if (header->control != LEDGER_CONTROL_NEVER)
        writer->missing[0]++;
    writer->failures.count += write_first(writer, &snapshot) < 0;
    ledger_snapshot_free(&snapshot);
}

/*
 * Rename FILE.d after the name that FILE got. Remove it if it is empty after a
 * failure.
 */
static void settle_folder(struct image_writer *writer)
{
    char path[PATH_MAX + 8];
    char settled[PATH_MAX + 8];

    snprintf(path, sizeof path, "%s.d", writer->path);
    snprintf(settled, sizeof settled, "%s.d", writer->written);
    if (writer->failures.count > 0)
        rmdir(path);
    if (writer->written[0] == '\0' || strcmp(path, settled) == 0)
        return;
    if (renameat2(AT_FDCWD, path, AT_FDCWD, settled, RENAME_NOREPLACE) == 0)
        snprintf(writer->path, sizeof writer->path, "%s", writer->written);
}

/* Write the number of images without a ledger into the files; it is known
   last. */
static void tell_missing(const struct image_writer *writer)
{
    const uint64_t count = writer->missing[0] + writer->missing[1];
    off_t at = (off_t)offsetof(struct ledger_header,
                               counts[LEDGER_COUNT_unrecorded_images]);
    char path[IMAGE_PATH_SIZE];

    for (uint32_t i = 0; count > 0 && i < writer->table.count; i++) {
        const struct image *image = &writer->table.images[i];
        int fd = -1;

        image_path_write(path, writer->path, image->pid, image->generation);
        if (image->is_in_place)
            fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            continue;
        (void)!pwrite(fd, writer->missing, sizeof writer->missing, at);
        close(fd);
    }
}

void image_writer_finish(struct image_writer *writer)
{
    bool is_sure = false;

    if (!image_table_refresh(&writer->table, writer->session)) {
        session_fail(&writer->failures.first,
                     "record: out of memory; the accounts are lost");
        writer->failures.count++;
        return;
    }
    if (!writer->is_over || count_alive(&writer->table) > 0)
        is_sure = image_table_find_mapped(&writer->table, writer->session,
                                          &writer->without);
    writer->missing[0] =
        image_table_missing(&writer->table, writer->session, false);
    if ((writer->session->settings.follow & SESSION_FOLLOW_FORK) != 0)
        writer->missing[1] = writer->without;
    for (uint32_t i = 0; i < writer->table.count; i++) {
        const struct image *image = &writer->table.images[i];

        if (image->is_open && !image->is_written)
            write_image(writer, i,
                        image_has_ended(&writer->table, i) ||
                            (is_sure && !image->is_mapped));
    }
    if (image_table_find_first(&writer->table, writer->program) < 0)
        write_empty(writer);
    tell_missing(writer);
    settle_folder(writer);
}
