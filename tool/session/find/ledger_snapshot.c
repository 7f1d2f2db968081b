/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_snapshot.c - copy a ledger while it is being written
 *
 * Sites refer to frames and modules, frames to modules, modules and notices to
 * texts. Each entry becomes valid when its last word is stored, after the
 * entries it refers to. So the directory is read four times, each time for the
 * kinds that are copied next:
 *
 *     directory -> SITES and kinds that go with them | FRAMES
 *               | MODULES, NOTICES | TEXT
 *
 * A segment that appears after the turn of its kind is left out. The program
 * can damage the bytes: each offset is checked against the extent, and bad
 * entries are kept for the reader to report.
 *
 * Only pread() is used, because touching a hole through a mapping would fill
 * it.
 */
#include "tool/session/find/session_ledgers.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ledger/ledger_layout.h"
#include "tool/files/files.h"

enum {
    DIRECTORY_SIZE = LEDGER_FIRST_SEGMENT - LEDGER_HEADER_SIZE,
    MORE_SIZE = LEDGER_MORE_ENTRIES * sizeof(struct ledger_directory_entry),
    GROWTH = 64 << 20, /* growth during the copy, bytes */
};

/* turn of each kind; unknown kinds go with the first */
static const uint8_t turns[] = {
    [LEDGER_SEGMENT_FRAMES] = 1,
    [LEDGER_SEGMENT_MODULES] = 2,
    [LEDGER_SEGMENT_NOTICES] = 2,
    [LEDGER_SEGMENT_TEXT] = 3,
};

enum { TURN_COUNT = 4 };

static unsigned turn_of(uint32_t kind)
{
    return kind < sizeof turns ? turns[kind] : 0;
}

static int grow(struct ledger_snapshot *snapshot, size_t size)
{
    void *bytes;

    if (size <= snapshot->size)
        return 0;
    if (snapshot->bytes == NULL)
        bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    else
        bytes = mremap(snapshot->bytes, snapshot->size, size, MREMAP_MAYMOVE);
    if (bytes == MAP_FAILED)
        return -1;
    snapshot->bytes = bytes;
    snapshot->size = size;
    return 0;
}

static bool is_inside(const struct ledger_directory_entry *entry)
{
    return entry->offset >= LEDGER_FIRST_SEGMENT &&
           entry->offset % LEDGER_PAGE == 0 && entry->size % LEDGER_PAGE == 0 &&
           entry->offset <= SESSION_EXTENT_SIZE &&
           entry->size <= SESSION_EXTENT_SIZE - entry->offset;
}

/* Return the offset of the next part of the directory, or 0. */
static uint64_t more_entries(const struct ledger_directory_entry *entries)
{
    const struct ledger_directory_entry *last =
        &entries[LEDGER_DIRECTORY_CAPACITY - 1];

    return last->kind == LEDGER_SEGMENT_DIRECTORY && is_inside(last) &&
                   last->size >= MORE_SIZE
               ? last->offset
               : 0;
}

/* Read the directory. Return the number of entries, or -1. */
static int64_t read_entries(const struct ledger_snapshot *snapshot,
                            struct ledger_directory_entry *entries)
{
    struct ledger_directory_entry *more = entries + LEDGER_DIRECTORY_CAPACITY;
    uint64_t left = MORE_SIZE;
    uint64_t at;

    if (regular_file_read(snapshot->fd, entries, DIRECTORY_SIZE,
                          snapshot->offset + LEDGER_HEADER_SIZE) < 0)
        return -1;
    at = more_entries(entries);
    if (at == 0)
        return LEDGER_DIRECTORY_CAPACITY;
    memset(more, 0, MORE_SIZE);
    if (regular_file_read_data(snapshot->fd, more, MORE_SIZE,
                               snapshot->offset + at, &left) < 0)
        return -1;
    return LEDGER_ENTRY_LIMIT;
}

/* Copy the segments of this turn's kinds that exist now, and their directory
   entries. */
static int copy_kinds(struct ledger_snapshot *snapshot, unsigned turn,
                      uint64_t *left)
{
    static struct ledger_directory_entry now[LEDGER_ENTRY_LIMIT];
    int64_t count = read_entries(snapshot, now);
    uint64_t more = more_entries(now);

    if (count < 0 || (more != 0 && grow(snapshot, more + MORE_SIZE) < 0))
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        bool is_directory = now[i].kind == LEDGER_SEGMENT_DIRECTORY;

        if (now[i].kind == 0 || (!is_directory && turn_of(now[i].kind) != turn))
            continue;
        /* A directory is copied entry by entry, each in its turn. */
        if (!is_directory && is_inside(&now[i]) &&
            (grow(snapshot, now[i].offset + now[i].size) < 0 ||
             regular_file_read_data(
                 snapshot->fd, snapshot->bytes + now[i].offset, now[i].size,
                 snapshot->offset + now[i].offset, left) < 0))
            return -1;
        memcpy(snapshot->bytes +
                   (i < LEDGER_DIRECTORY_CAPACITY
                        ? LEDGER_HEADER_SIZE + i * sizeof *now
                        : more + (i - LEDGER_DIRECTORY_CAPACITY) * sizeof *now),
               &now[i], sizeof *now);
    }
    return 0;
}

int ledger_header_read(int session_fd, uint64_t offset,
                       struct ledger_header *header)
{
    if (regular_file_read(session_fd, header, sizeof *header, offset) < 0)
        return -1;
    if (memcmp(header->magic, LEDGER_MAGIC, LEDGER_MAGIC_SIZE) != 0) {
        errno = ENOMSG;
        return -1;
    }
    return 0;
}

/* Return the size to begin with, so that the copy seldom moves. */
static size_t size_now(const struct ledger_header *header)
{
    uint64_t size = header->used_bytes;

    return size % LEDGER_PAGE == 0 && size > LEDGER_FIRST_SEGMENT &&
                   size <= SESSION_EXTENT_SIZE
               ? size
               : LEDGER_FIRST_SEGMENT;
}

int ledger_snapshot_take(int session_fd, uint64_t offset,
                         struct ledger_snapshot *snapshot)
{
    struct ledger_header header;
    struct stat status;
    /* Only overlapping segments can exceed the ledger's size plus its
       growth. */
    uint64_t left = fstat(session_fd, &status) < 0
                        ? SESSION_EXTENT_SIZE
                        : GROWTH + 2 * (uint64_t)status.st_blocks * 512;

    *snapshot = (struct ledger_snapshot){ .fd = session_fd, .offset = offset };
    if (ledger_header_read(session_fd, offset, &header) < 0 ||
        grow(snapshot, size_now(&header)) < 0)
        return -1;
    (void)madvise(snapshot->bytes, snapshot->size, MADV_NOHUGEPAGE);
    for (unsigned turn = 0; turn < TURN_COUNT; turn++) {
        if (copy_kinds(snapshot, turn, &left) < 0)
            goto failed;
    }
    /* The header is last: its counts cover everything that was copied. */
    if (ledger_header_read(session_fd, offset, &header) < 0)
        goto failed;
    header.used_bytes = snapshot->size;
    memcpy(snapshot->bytes, &header, sizeof header);
    return 0;

failed:
    ledger_snapshot_free(snapshot);
    return -1;
}

/* Copy as much of `text` as fits after `end`. */
static struct ledger_text add_text(struct ledger_snapshot *snapshot,
                                   uint64_t *end, const char *text, size_t size)
{
    struct ledger_text added = { .offset = *end };

    if (size > snapshot->size - *end)
        size = snapshot->size - *end;
    added.length = (uint32_t)size;
    memcpy(snapshot->bytes + *end, text, size);
    *end += size;
    return added;
}

int ledger_snapshot_make_empty(struct ledger_snapshot *snapshot,
                               const char *program, char *const *arguments)
{
    struct ledger_directory_entry texts = {
        .kind = LEDGER_SEGMENT_TEXT,
        .offset = LEDGER_FIRST_SEGMENT,
        .size = LEDGER_TEXT_SEGMENT_SIZE,
    };
    struct ledger_header header = {
        .major = LEDGER_MAJOR,
        .minor = LEDGER_MINOR,
        .byte_order = LEDGER_BYTE_ORDER,
        .used_bytes = LEDGER_FIRST_SEGMENT + LEDGER_TEXT_SEGMENT_SIZE,
        .shard_count = 1,
        .directory_capacity = LEDGER_DIRECTORY_CAPACITY,
        .directory_used = 1,
        .writer_version = TALLY_VERSION_NUMBER,
    };
    uint64_t end = LEDGER_FIRST_SEGMENT;

    *snapshot = (struct ledger_snapshot){ .fd = -1 };
    if (grow(snapshot, header.used_bytes) < 0)
        return -1;
    header.program = add_text(snapshot, &end, program, strlen(program));
    header.command_line.offset = end;
    for (; *arguments != NULL; arguments++)
        header.command_line.length +=
            add_text(snapshot, &end, *arguments, strlen(*arguments) + 1).length;
    memcpy(header.magic, LEDGER_MAGIC, LEDGER_MAGIC_SIZE);
    memcpy(snapshot->bytes, &header, sizeof header);
    memcpy(snapshot->bytes + LEDGER_HEADER_SIZE, &texts, sizeof texts);
    return 0;
}

/* The last entry of the directory describes the directory itself. */
unsigned char *ledger_snapshot_add(struct ledger_snapshot *snapshot,
                                   uint32_t kind, uint32_t index, size_t size)
{
    const uint32_t last = LEDGER_DIRECTORY_CAPACITY - 1;
    struct ledger_directory_entry *entry;
    uint64_t more, end = snapshot->size;
    uint32_t number = 0, limit;

    size = (size + LEDGER_PAGE - 1) / LEDGER_PAGE * LEDGER_PAGE;
    if (grow(snapshot, end + size) < 0)
        return NULL;
    entry = (void *)(snapshot->bytes + LEDGER_HEADER_SIZE);
    more = more_entries(entry);
    limit = more == 0 || more + MORE_SIZE > end ? last : LEDGER_ENTRY_LIMIT;
    while (number < limit && (number == last || entry->kind != 0)) {
        number++;
        entry =
            number == last + 1 ? (void *)(snapshot->bytes + more) : entry + 1;
    }
    if (number == limit)
        return NULL;
    *entry = (struct ledger_directory_entry){ kind, index, end, size, 0 };
    if (snapshot->header->directory_used <= number)
        snapshot->header->directory_used = number + 1;
    if (snapshot->header->minor < LEDGER_MINOR)
        snapshot->header->minor = LEDGER_MINOR;
    snapshot->header->used_bytes = snapshot->size;
    return snapshot->bytes + end;
}

void ledger_snapshot_free(struct ledger_snapshot *snapshot)
{
    int error = errno;

    if (snapshot->bytes != NULL)
        munmap(snapshot->bytes, snapshot->size);
    *snapshot = (struct ledger_snapshot){ 0 };
    errno = error;
}

struct ledger_sample *
ledger_snapshot_timeline(const struct ledger_snapshot *snapshot)
{
    const struct ledger_directory_entry *entries =
        (const void *)(snapshot->bytes + LEDGER_HEADER_SIZE);

    for (uint32_t i = 0; i < LEDGER_DIRECTORY_CAPACITY; i++) {
        if (entries[i].kind == LEDGER_SEGMENT_TIMELINE &&
            is_inside(&entries[i]) &&
            entries[i].size >=
                LEDGER_SAMPLE_CAPACITY * sizeof(struct ledger_sample) &&
            entries[i].offset + entries[i].size <= snapshot->size)
            return (void *)(snapshot->bytes + entries[i].offset);
    }
    return NULL;
}
