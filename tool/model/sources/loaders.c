/* SPDX-License-Identifier: Apache-2.0 */
/* loaders.c - see sources.h */
#include "tool/model/sources/sources.h"

#include <errno.h>
#include <fcntl.h>

/* Kind of source: how to recognise and load it. */
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
    { SOURCE_STACKS, stack_lines_are, load_stack_lines },
    { SOURCE_ALLOCINFO, allocinfo_lines_are, load_allocinfo },
    { SOURCE_TRACE, is_trace, refuse_trace },
    { SOURCE_ALLOCINFO, allocinfo_lines_have_row, load_allocinfo },
};

/* bytes of console output before the first event */
enum { PREAMBLE_LIMIT = 1 << 22 };

static const struct loader *find_loader(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof loaders / sizeof loaders[0]; i++) {
        if (loaders[i].recognises(bytes, size))
            return &loaders[i];
    }
    return NULL;
}

static int refuse_content(const struct source *source,
                          struct source_failure *failure)
{
    return source_fail(
        failure,
        source->size == 0 ? "it is empty"
                          : "not a Tally recording, allocinfo file or trace",
        source->size >= 4 && memcmp(source->bytes, "\177ELF", 4) == 0
            ? "core dumps must be 64-bit files, not pipes"
            : "name a file written by tally record");
}

/* Return true for console output, which may come to an event yet. */
static bool may_be_console(const struct source *source)
{
    size_t odd = 0;

    for (size_t i = 0; i < source->size; i++)
        odd += source->bytes[i] < ' ' &&
               memchr("\t\n\r\033", source->bytes[i], 4) == NULL;
    return source->size < PREAMBLE_LIMIT && odd < source->size / 16;
}

/* Return 1 to read on, 0 to stop, or -1 to refuse the source. */
static int is_more_wanted(const struct source *source,
                          struct source_failure *failure)
{
    const struct loader *loader = find_loader(source->bytes, source->size);

    if (refuse_packed(source->bytes, source->size, failure) < 0)
        return -1;
    /* Traces may be larger than memory, or without end. */
    if (loader != NULL && loader->kind == SOURCE_TRACE)
        return 0;
    if (loader == NULL && !may_be_console(source))
        return refuse_content(source, failure);
    return 1;
}

/* Set the kind of the source; an empty one is a trace without calls. */
static int recognise(struct source *source, struct source_failure *failure)
{
    const struct loader *loader = find_loader(source->bytes, source->size);

    source->kind = SOURCE_TRACE;
    if (source->size == 0)
        return 0;
    if (refuse_packed(source->bytes, source->size, failure) < 0)
        return -1;
    /* Lines may end with carriage returns only. */
    if ((loader == NULL || loader->kind == SOURCE_ALLOCINFO) &&
        memchr(source->bytes, '\n', source->size) == NULL) {
        for (size_t i = 0; i < source->size; i++)
            source->bytes[i] =
                source->bytes[i] == '\r' ? '\n' : source->bytes[i];
        loader = find_loader(source->bytes, source->size);
    }
    if (loader == NULL)
        return refuse_content(source, failure);
    source->kind = loader->kind;
    return 0;
}

static int refuse_to_open(const char *path, struct source_failure *failure)
{
    if (strcmp(path, "/proc/allocinfo") != 0)
        return source_fail_to_open(failure, path);
    return source_fail(failure, strerror(errno),
                       errno == ENOENT
                           ? "use a kernel with CONFIG_MEM_ALLOC_PROFILING, "
                             "started without sysctl.vm.mem_profiling=never"
                           : advice_as_root("read it as root"));
}

int source_open_file(struct source *source, const char *path,
                     struct source_failure *failure)
{
    bool is_input = strcmp(path, "-") == 0;
    int descriptor, error;

    if (!is_input && is_trace_folder(path)) {
        *source = (struct source){ .kind = SOURCE_TRACE,
                                   .folder = memory_text(path) };
        return 0;
    }
    descriptor = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *source = (struct source){ 0 };
    if (descriptor < 0)
        return refuse_to_open(path, failure);
    error = is_input ? 0 : core_ledger_read(descriptor, source, failure);
    if (error == 0)
        error = source_read(source, descriptor, is_more_wanted, failure);
    if (error == 0)
        error = recognise(source, failure);
    if (error == 0 && source->kind == SOURCE_TRACE)
        source->descriptor = descriptor;
    else if (!is_input)
        close(descriptor);
    if (error < 0)
        source_close(source);
    return error < 0 ? -1 : 0;
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
