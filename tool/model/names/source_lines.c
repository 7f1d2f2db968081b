/* SPDX-License-Identifier: Apache-2.0 */
/* source_lines.c - see names.h */
#include "tool/model/names/names.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "tool/files/files.h"

enum {
    FILE_LIMIT = 64 << 20, /* bytes */
    LINE_LIMIT = 200,      /* bytes; the rest is left out */
};

struct source_file {
    char *text; /* NULL: not readable */
    size_t *ends;
    size_t line_count;
};

/* Read the text and end it with a line feed. */
static char *read_text(const char *path, size_t *size)
{
    int fd = regular_file_open(AT_FDCWD, path, O_RDONLY);
    struct stat status;
    char *text = NULL;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && status.st_size <= FILE_LIMIT) {
        *size = (size_t)status.st_size + 1;
        text = memory_zeroed(*size, 1);
        text[*size - 1] = '\n';
        if (regular_file_read(fd, text, *size - 1, 0) < 0) {
            free(text);
            text = NULL;
        }
    }
    close(fd);
    return text;
}

static struct source_file read_file(const char *path)
{
    size_t size = 0;
    struct source_file file = { .text = read_text(path, &size) };

    for (size_t i = 0; i < size && file.text != NULL; i++) {
        if (file.text[i] == '\n')
            ARRAY_ADD(file.ends, file.line_count, i);
    }
    return file;
}

char *source_lines_find(struct source_lines *lines, const char *path,
                        uint64_t number)
{
    uint32_t place = text_pool_add(&lines->paths, path);
    const struct source_file *file;
    const char *begin, *end;

    if (place == lines->count)
        ARRAY_ADD(lines->files, lines->count, read_file(path));
    file = &lines->files[place];
    if (number == 0 || number > file->line_count)
        return NULL;
    begin = file->text + (number == 1 ? 0 : file->ends[number - 2] + 1);
    end = file->text + file->ends[number - 1];
    while (begin < end && (unsigned char)*begin <= ' ')
        begin++;
    while (begin < end && (unsigned char)end[-1] <= ' ')
        end--;
    if (end - begin > LINE_LIMIT)
        end = begin + LINE_LIMIT;
    return begin == end ? NULL
                        : memory_print("%.*s", (int)(end - begin), begin);
}

void source_lines_free(struct source_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->files[i].text);
        free(lines->files[i].ends);
    }
    free(lines->files);
    text_pool_free(&lines->paths);
    *lines = (struct source_lines){ 0 };
}
