/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - what the user named: a file, standard input, or a live program
 */
#include "tool/model/sources/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ledger/session_layout.h"
#include "tool/files/regular_file.h"
#include "tool/model/sources/load_allocinfo.h"
#include "tool/model/sources/load_ledger.h"
#include "tool/model/trace/trace.h"

/* How to recognise a source by its first bytes, and how to load it. */
struct loader {
    enum source_kind kind;
    bool (*recognises)(const void *bytes, size_t size);
    int (*load)(const unsigned char *bytes, size_t size,
                struct profile *profile, struct source_failure *failure);
};

static int refuse_trace(const unsigned char *bytes, size_t size,
                        struct profile *profile, struct source_failure *failure)
{
    (void)bytes;
    (void)size;
    (void)profile;
    return source_fail(failure, "it is a trace of memory events",
                       "look at it with tally report");
}

static const struct loader loaders[] = {
    { SOURCE_LEDGER, is_ledger, load_ledger },
    { SOURCE_ALLOCINFO, allocinfo_lines_are, load_allocinfo },
    { SOURCE_TRACE, is_trace, refuse_trace },
    { SOURCE_ALLOCINFO, allocinfo_lines_have_row, load_allocinfo },
};

enum {
    FIRST_READ_SIZE = 1 << 16,
    PREAMBLE_LIMIT = 1 << 22, /* of a console, until the first event */
};

/* No ledger is larger than its extent, and no text comes near. */
static const size_t largest_source = SESSION_EXTENT_SIZE;

int source_fail(struct source_failure *failure, const char *why,
                const char *advice)
{
    *failure = (struct source_failure){ .why = why, .advice = advice };
    return -1;
}

int source_no_memory(struct source_failure *failure)
{
    source_fail(failure, "there is not enough memory to load it",
                "free some and try again");
    failure->is_memory = true;
    return -1;
}

int source_fail_at_line(struct source_failure *failure, uint64_t line,
                        const char *why, const char *advice)
{
    source_fail(failure, why, advice);
    failure->line = line;
    return -1;
}

static const struct loader *find_loader(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof loaders / sizeof loaders[0]; i++) {
        if (loaders[i].recognises(bytes, size))
            return &loaders[i];
    }
    return NULL;
}

bool is_packed(const unsigned char *bytes, size_t size)
{
    return size >= 4 && (memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0 ||
                         memcmp(bytes, "\x1f\x8b", 2) == 0);
}

int refuse_packed(struct source_failure *failure)
{
    return source_fail(failure, "it is packed",
                       "unpack it first, or into a pipe: zstd -dc FILE | tally "
                       "report -");
}

static int refuse_content(const struct source *source,
                          struct source_failure *failure)
{
    return source_fail(failure,
                       source->size == 0
                           ? "it is empty"
                           : "it is no ledger, no allocinfo text and no trace",
                       "name a file that tally record wrote");
}

/* Memory is taken where something is stored, so that a hole costs none. */
static int grow(struct source *source, size_t larger,
                struct source_failure *failure)
{
    void *buffer;

    if (larger > largest_source)
        return source_fail(failure, "it is larger than any ledger",
                           "name a file that tally record wrote");
    buffer =
        source->buffer == NULL
            ? mmap(NULL, larger, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
            : mremap(source->buffer, source->capacity, larger, MREMAP_MAYMOVE);
    if (buffer == MAP_FAILED)
        return source_fail(failure, "it does not fit into memory",
                           "use a machine with more memory");
    source->buffer = buffer;
    source->bytes = buffer;
    source->capacity = larger;
    return 0;
}

/* The rest of a file whose size is known, and only what is stored of it. */
static int read_file(struct source *source, int descriptor, size_t size,
                     struct source_failure *failure)
{
    uint64_t left = UINT64_MAX;

    if (grow(source, size, failure) < 0)
        return -1;
    if (regular_file_read_data(descriptor, source->buffer + source->size,
                               size - source->size, source->size, &left) < 0)
        return source_fail(failure, strerror(errno),
                           "name a file that tally record wrote");
    source->size = size;
    return 0;
}

/* What a console shows; one that is long may come to an event yet. */
static bool may_be_console(const struct source *source)
{
    size_t odd = 0;

    for (size_t i = 0; i < source->size; i++)
        odd += source->bytes[i] < ' ' &&
               memchr("\t\n\r\033", source->bytes[i], 4) == NULL;
    return source->size < PREAMBLE_LIMIT && odd < source->size / 16;
}

/* Whether to read on: 1, 0, or below zero when it is no use. */
static int is_more_wanted(const struct source *source,
                          struct source_failure *failure)
{
    const struct loader *loader = find_loader(source->bytes, source->size);

    /* A trace may be larger than memory, or have no end yet. */
    if (loader != NULL && loader->kind == SOURCE_TRACE)
        return 0;
    if (loader == NULL && !may_be_console(source))
        return refuse_content(source, failure);
    return 1;
}

static int read_all(struct source *source, int descriptor,
                    struct source_failure *failure)
{
    struct stat status;
    ssize_t got;

    if (grow(source, FIRST_READ_SIZE, failure) < 0)
        return -1;
    for (;;) {
        if (source->size == source->capacity) {
            int more = is_more_wanted(source, failure);

            if (more <= 0)
                return more;
            /* Those of /proc have no size. */
            if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                lseek(descriptor, 0, SEEK_CUR) == (off_t)source->size &&
                (uint64_t)status.st_size > source->size)
                return read_file(source, descriptor, (size_t)status.st_size,
                                 failure);
            if (grow(source, 2 * source->capacity, failure) < 0)
                return -1;
        }
        got = read(descriptor, source->buffer + source->size,
                   source->capacity - source->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return source_fail(failure, strerror(errno),
                               errno == EISDIR
                                   ? "name a file in it that tally record wrote"
                                   : "name a file that tally record wrote");
        if (got == 0)
            return 0;
        source->size += (size_t)got;
    }
}

/* Nothing is all there is of a trace in which nothing was called. */
static int recognise(struct source *source, struct source_failure *failure)
{
    const struct loader *loader = find_loader(source->bytes, source->size);

    source->kind = SOURCE_TRACE;
    if (source->size == 0)
        return 0;
    if (is_packed(source->bytes, source->size))
        return refuse_packed(failure);
    /* Lines may end with carriage returns alone. */
    if ((loader == NULL || loader->kind == SOURCE_ALLOCINFO) &&
        memchr(source->bytes, '\n', source->size) == NULL) {
        for (size_t i = 0; i < source->size; i++)
            source->buffer[i] =
                source->buffer[i] == '\r' ? '\n' : source->buffer[i];
        loader = find_loader(source->bytes, source->size);
    }
    if (loader == NULL)
        return refuse_content(source, failure);
    source->kind = loader->kind;
    return 0;
}

/* What to do about a file that cannot be opened. */
static const char *advice_about(const char *path, int error)
{
    if (strcmp(path, "/proc/allocinfo") != 0)
        return "check its name and permissions";
    if (error == ENOENT)
        return "it takes a kernel with CONFIG_MEM_ALLOC_PROFILING that was not "
               "started with sysctl.vm.mem_profiling=never";
    return "read it as root";
}

static int open_folder(struct source *source, const char *path,
                       struct source_failure *failure)
{
    *source = (struct source){ .kind = SOURCE_TRACE, .folder = strdup(path) };
    if (source->folder == NULL)
        return source_no_memory(failure);
    return 0;
}

int source_open_file(struct source *source, const char *path,
                     struct source_failure *failure)
{
    bool is_input = strcmp(path, "-") == 0;
    int descriptor, error;

    if (!is_input && is_trace_folder(path))
        return open_folder(source, path, failure);
    descriptor = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *source = (struct source){ 0 };
    if (descriptor < 0)
        return source_fail(failure,
                           errno == EMEDIUMTYPE ? "it is no regular file"
                                                : strerror(errno),
                           advice_about(path, errno));
    error = read_all(source, descriptor, failure);
    if (error == 0)
        error = recognise(source, failure);
    if (error == 0 && source->kind == SOURCE_TRACE)
        source->descriptor = descriptor;
    else if (!is_input)
        close(descriptor);
    if (error < 0)
        source_close(source);
    return error;
}

void source_open_bytes(struct source *source, unsigned char *bytes, size_t size)
{
    *source = (struct source){
        .kind = SOURCE_LEDGER,
        .bytes = bytes,
        .size = size,
        .buffer = bytes,
        .capacity = size,
    };
}

void source_close(struct source *source)
{
    if (source->descriptor > STDIN_FILENO)
        close(source->descriptor);
    free(source->folder);
    if (source->buffer != NULL)
        munmap(source->buffer, source->capacity);
    *source = (struct source){ 0 };
}

int source_load(const struct source *source, struct profile *profile,
                struct source_failure *failure)
{
    const struct loader *loader = find_loader(source->bytes, source->size);

    if (source->folder != NULL)
        return refuse_trace(NULL, 0, profile, failure);
    if (loader == NULL)
        return refuse_content(source, failure);
    return loader->load(source->bytes, source->size, profile, failure);
}
