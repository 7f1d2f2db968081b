/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_folder.c - the files of a CTF trace
 */
#include "tool/model/trace_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/files/regular_file.h"
#include "tool/model/trace.h"

enum {
    LARGEST_METADATA = 1 << 24,
    MOST_STREAMS = 256, /* one for each CPU, at most */
};

static const char metadata_name[] = "metadata";

bool is_trace_folder(const char *path)
{
    struct stat status;
    char *name = NULL;
    bool is_one;

    if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode) ||
        asprintf(&name, "%s/%s", path, metadata_name) < 0)
        return false;
    is_one = stat(name, &status) == 0 && S_ISREG(status.st_mode);
    free(name);
    return is_one;
}

static int no_memory(struct source_failure *failure)
{
    return source_fail(failure, "there is not enough memory to load it",
                       "free some and try again");
}

static int read_metadata(struct trace_folder *folder, int descriptor,
                         struct source_failure *failure)
{
    struct stat status;
    size_t size;

    if (fstat(descriptor, &status) < 0)
        return source_fail(failure, strerror(errno), "check its metadata");
    if (status.st_size > LARGEST_METADATA)
        return source_fail(failure, "its metadata is larger than any",
                           "name a trace of memory events");
    size = (size_t)status.st_size;
    folder->metadata_time = status.st_mtim.tv_sec;
    folder->metadata = malloc(size + 1);
    if (folder->metadata == NULL)
        return no_memory(failure);
    while (folder->metadata_size < size) {
        ssize_t got = read(descriptor, folder->metadata + folder->metadata_size,
                           size - folder->metadata_size);

        if (got < 0 && errno != EINTR)
            return source_fail(failure, strerror(errno), "check its metadata");
        if (got == 0)
            break;
        if (got > 0)
            folder->metadata_size += (size_t)got;
    }
    return 0;
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
    folder->streams = calloc((size_t)count + 1, sizeof *folder->streams);
    if (folder->streams == NULL)
        return no_memory(failure);
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
