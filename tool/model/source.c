/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - see source.h */
#include "tool/model/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ledger/ledger_layout.h"
#include "format/ledger/session_layout.h"
#include "tool/files/files.h"

enum { FIRST_READ_SIZE = 1 << 16 };

/* Limit of any source: a ledger fills one extent at most. */
static const size_t largest_source = SESSION_EXTENT_SIZE;

int source_fail(struct source_failure *failure, const char *why,
                const char *advice)
{
    *failure = (struct source_failure){ .why = why, .advice = advice };
    return -1;
}

int source_fail_to_open(struct source_failure *failure, const char *path)
{
    bool is_number = path[strspn(path, "0123456789")] == '\0';

    return source_fail(
        failure, regular_file_error(),
        errno == ENOENT && is_number
            ? "write a recording of a process with tally snapshot first"
            : "check its name and permissions");
}

int source_fail_at_line(struct source_failure *failure, uint64_t line,
                        const char *why, const char *advice)
{
    source_fail(failure, why, advice);
    failure->line = line;
    return -1;
}

int refuse_packed(const unsigned char *bytes, size_t size,
                  struct source_failure *failure)
{
    static const struct {
        const char magic[8];
        const char *advice;
    } forms[] = {
        { "\x1f\x8b", "decompress it first: gzip -dc FILE | tally report -" },
        { "\xfd"
          "7zXZ",
          "decompress it first: xz -dc FILE | tally report -" },
        { "\x28\xb5\x2f\xfd",
          "decompress it first: zstd -dc FILE | tally report -" },
        { "BZh", "decompress it first: bzip2 -dc FILE | tally report -" },
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        size_t length = strlen(forms[i].magic);

        if (size >= length && memcmp(bytes, forms[i].magic, length) == 0)
            return source_fail(failure, "compressed file", forms[i].advice);
    }
    return 0;
}

bool is_ledger(const void *bytes, size_t size)
{
    return size >= LEDGER_MAGIC_SIZE &&
           memcmp(bytes, LEDGER_MAGIC, LEDGER_MAGIC_SIZE) == 0;
}

/* Grow the buffer, whose untouched pages take no memory. */
static int grow(struct source *source, size_t larger,
                struct source_failure *failure)
{
    void *buffer;

    if (larger > largest_source)
        return source_fail(failure, "larger than any recording",
                           "name a file written by tally record");
    buffer =
        source->bytes == NULL
            ? mmap(NULL, larger, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
            : mremap(source->bytes, source->capacity, larger, MREMAP_MAYMOVE);
    if (buffer == MAP_FAILED)
        return source_fail(failure, "not enough memory",
                           "use a machine with more memory");
    source->bytes = buffer;
    source->capacity = larger;
    return 0;
}

/* Read the rest of a file of known size, without its holes. */
static int read_file(struct source *source, int descriptor, size_t size,
                     struct source_failure *failure)
{
    uint64_t left = UINT64_MAX;

    if (grow(source, size, failure) < 0)
        return -1;
    if (regular_file_read_data(descriptor, source->bytes + source->size,
                               size - source->size, source->size, &left) < 0)
        return source_fail(failure, strerror(errno),
                           "name a file written by tally record");
    source->size = size;
    return 0;
}

int source_read(struct source *source, int descriptor,
                source_wants_fn *wants_more, struct source_failure *failure)
{
    struct stat status;
    ssize_t got;

    if (grow(source, FIRST_READ_SIZE, failure) < 0)
        return -1;
    for (;;) {
        if (source->size == source->capacity) {
            int more = wants_more == NULL ? 1 : wants_more(source, failure);

            if (more <= 0)
                return more;
            /* Files in /proc have no size. */
            if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                lseek(descriptor, 0, SEEK_CUR) == (off_t)source->size &&
                (uint64_t)status.st_size > source->size)
                return read_file(source, descriptor, (size_t)status.st_size,
                                 failure);
            if (grow(source, 2 * source->capacity, failure) < 0)
                return -1;
        }
        got = read(descriptor, source->bytes + source->size,
                   source->capacity - source->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return source_fail(failure, strerror(errno),
                               errno == EISDIR
                                   ? "name a recording in it"
                                   : "name a file written by tally record");
        if (got == 0)
            return 0;
        source->size += (size_t)got;
    }
}

void source_open_bytes(struct source *source, unsigned char *bytes, size_t size)
{
    *source = (struct source){
        .kind = SOURCE_LEDGER,
        .bytes = bytes,
        .size = size,
        .capacity = size,
    };
}

void source_close(struct source *source)
{
    if (source->descriptor > STDIN_FILENO)
        close(source->descriptor);
    free(source->folder);
    if (source->bytes != NULL)
        munmap(source->bytes, source->capacity);
    *source = (struct source){ 0 };
}
