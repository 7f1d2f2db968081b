/* SPDX-License-Identifier: Apache-2.0 */
/* export_output.c - see export_output.h */
#include "tool/commands/export_output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/commands/options/complaint.h"

static int refuse(const char *path)
{
    if (errno == EEXIST)
        return complain(path, "exists already",
                        "remove it or name another with -o FILE");
    return complain(path, strerror(errno), "name another file with -o FILE");
}

static FILE *open_file(const char *path)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    return descriptor < 0 ? NULL : fdopen(descriptor, "w");
}

static int open_folder(struct export_output *output)
{
    const char *path = output->path;

    if (snprintf(output->stream, PATH_MAX, "%s/stream", path) >= PATH_MAX ||
        snprintf(output->metadata, PATH_MAX, "%s/metadata", path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return refuse(path);
    }
    output->is_made = mkdir(path, 0777) == 0;
    if (!output->is_made)
        return refuse(path);
    output->files.out = open_file(output->stream);
    output->files.metadata = open_file(output->metadata);
    return output->files.out != NULL && output->files.metadata != NULL
               ? COMMAND_DONE
               : refuse(path);
}

int export_output_open(struct export_output *output, const char *path,
                       bool is_folder)
{
    *output = (struct export_output){ .path = path, .is_folder = is_folder };
    if (is_folder)
        return open_folder(output);
    output->files.out = open_file(path);
    output->is_made = output->files.out != NULL;
    return output->is_made ? COMMAND_DONE : refuse(path);
}

static int close_file(const struct export_output *output, FILE *file,
                      int status)
{
    bool is_bad;

    if (file == NULL)
        return status;
    errno = 0;
    is_bad = fflush(file) != 0 || ferror(file);
    is_bad = fclose(file) != 0 || is_bad;
    if (is_bad && status == COMMAND_DONE)
        return complain(output->path, strerror(errno),
                        "make room and export again");
    return status;
}

static void remove_all(const struct export_output *output)
{
    if (!output->is_folder) {
        unlink(output->path);
        return;
    }
    unlink(output->stream);
    unlink(output->metadata);
    rmdir(output->path);
}

int export_output_close(struct export_output *output, int status)
{
    status = close_file(output, output->files.out, status);
    status = close_file(output, output->files.metadata, status);
    if (status != COMMAND_DONE && output->is_made)
        remove_all(output);
    return status;
}
