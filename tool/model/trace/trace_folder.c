/* SPDX-License-Identifier: Apache-2.0 */
/* trace_folder.c - see trace_folder.h */
#include "tool/model/trace/trace_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/files/regular_file.h"
#include "tool/tables/memory.h"

enum {
    LARGEST_METADATA = 1 << 24,
    MOST_STREAMS = 256, /* one for each CPU, at most */
};

static const char metadata_name[] = "metadata";

bool is_trace_folder(const char *path)
{
    struct stat status;
    char *name;
    bool is_one;

    if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode))
        return false;
    name = memory_print("%s/%s", path, metadata_name);
    is_one = stat(name, &status) == 0 && S_ISREG(status.st_mode);
    free(name);
    return is_one;
}

/* Add a regular file's text to `*text`, which the caller frees in either
   case. */
static int add_text(int descriptor, char **text, size_t *text_size,
                    struct source_failure *failure)
{
    struct stat status;
    size_t size;

    if (descriptor < 0 || fstat(descriptor, &status) < 0)
        return source_fail(failure, strerror(errno),
                           "check its name and permissions");
    if (!S_ISREG(status.st_mode) || status.st_size > LARGEST_METADATA)
        return source_fail(failure, "it is no metadata, or larger than any",
                           "name a file of CTF metadata");
    size = (size_t)status.st_size;
    *text = memory_resized(*text, *text_size + size + 1, 1);
    if (regular_file_read(descriptor, *text + *text_size, size, 0) < 0)
        return source_fail(failure, strerror(errno), "check its metadata");
    *text_size += size;
    return 0;
}

/* What --metadata named, all in one, for as long as the command runs. */
static struct {
    char *text;
    size_t size;
    struct ctf_metadata_facts facts;
} given;

int trace_metadata_give(const char *path, struct source_failure *failure)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = add_text(descriptor, &given.text, &given.size, failure);

    if (descriptor >= 0)
        close(descriptor);
    return error;
}

int trace_metadata_judge(struct source_failure *failure)
{
    if (given.text == NULL ||
        ctf_metadata_read(given.text, given.size, &given.facts))
        return 0;
    return source_fail(failure,
                       "no memory event in a known layout is described",
                       "name Zephyr's first, then Zephelin's");
}

const struct ctf_metadata_facts *trace_metadata_given(const char **text,
                                                      size_t *size)
{
    if (given.text == NULL)
        return NULL;
    *text = given.text;
    *size = given.size;
    return &given.facts;
}

static int read_metadata(struct trace_folder *folder, int descriptor,
                         struct source_failure *failure)
{
    struct stat status;

    if (fstat(descriptor, &status) == 0)
        folder->metadata_time = status.st_mtim.tv_sec;
    return add_text(descriptor, &folder->metadata, &folder->metadata_size,
                    failure);
}

static int is_stream(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, metadata_name) != 0;
}

/* What is no file, a folder of indices, is none of ours. */
static int open_streams(struct trace_folder *folder, int directory,
                        struct dirent **names, int count,
                        struct source_failure *failure)
{
    folder->streams = memory_zeroed((size_t)count + 1, sizeof *folder->streams);
    for (int i = 0; i < count; i++) {
        int descriptor =
            regular_file_open(directory, names[i]->d_name, O_RDONLY);

        if (descriptor < 0 && errno == EMEDIUMTYPE)
            continue;
        if (descriptor < 0)
            return source_fail(failure, strerror(errno),
                               "check the permissions of its files");
        if (folder->stream_count == MOST_STREAMS) {
            close(descriptor);
            return source_fail(failure, "it has more than 256 streams",
                               "name one of its files");
        }
        folder->streams[folder->stream_count++] = descriptor;
    }
    return folder->stream_count > 0
               ? 0
               : source_fail(failure, "it has no stream beside its metadata",
                             "name a trace of memory events");
}

int trace_folder_open(struct trace_folder *folder, const char *path,
                      struct source_failure *failure)
{
    struct dirent **names = NULL;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int count = directory < 0
                    ? -1
                    : scandirat(directory, ".", &names, is_stream, alphasort);
    int metadata = directory < 0
                       ? -1
                       : regular_file_open(directory, metadata_name, O_RDONLY);
    int error;

    *folder = (struct trace_folder){ 0 };
    if (count < 0 || metadata < 0)
        error = source_fail(failure, strerror(errno),
                            "check its name and permissions");
    else
        error = read_metadata(folder, metadata, failure);
    if (error == 0)
        error = open_streams(folder, directory, names, count, failure);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    if (metadata >= 0)
        close(metadata);
    if (directory >= 0)
        close(directory);
    return error;
}

void trace_folder_close(struct trace_folder *folder)
{
    for (size_t i = 0; i < folder->stream_count; i++) {
        if (folder->streams[i] >= 0)
            close(folder->streams[i]);
    }
    free(folder->streams);
    free(folder->metadata);
    *folder = (struct trace_folder){ 0 };
}
