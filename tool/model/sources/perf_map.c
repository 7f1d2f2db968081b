/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_map.c - names of generated code
 *
 * Compilers such as Node.js's append a line "START SIZE NAME" for each function
 * that they generate, with numbers in hexadecimal. The file is not trusted, and
 * lies in a folder that all users write to.
 */
#include "tool/model/sources/sources.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "tool/files/files.h"

enum { MOST_BYTES = 1 << 26, SLACK_SECONDS = 2 };

struct code {
    uint64_t start;
    uint64_t line; /* later lines replace earlier ones */
    uint64_t size;
    char *name;
};

static int compare_code(const void *left, const void *right)
{
    const struct code *a = left, *b = right;

    return a->start != b->start ? (a->start < b->start ? -1 : 1)
                                : (a->line > b->line) - (a->line < b->line);
}

/* Return true if the process or this user wrote the file while it ran: an
   earlier process may have had the same number. */
static bool is_trusted(int descriptor, uid_t owner,
                       const struct profile_image *image)
{
    struct stat status;
    uint64_t slack = SLACK_SECONDS * UINT64_C(1000000000), changed_ns;

    if (fstat(descriptor, &status) < 0 || status.st_size > MOST_BYTES ||
        (status.st_uid != owner && status.st_uid != geteuid()))
        return false;
    changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 +
                 (uint64_t)status.st_mtim.tv_nsec;
    return changed_ns + slack >= image->start_ns &&
           (image->end_ns == 0 || changed_ns <= image->end_ns + slack);
}

static struct code *read_map(FILE *file, size_t *count)
{
    struct code *code = NULL;
    OWNED char *line = NULL;
    size_t capacity = 0;
    uint64_t left = MOST_BYTES;
    ssize_t length;

    *count = 0;
    while ((length = getline(&line, &capacity, file)) > 0 &&
           (uint64_t)length <= left) {
        struct code next = { .line = *count };
        int name = 0;

        left -= (uint64_t)length;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &next.start, &next.size,
                   &name) == 2 &&
            name > 0 && line[name] != '\0') {
            next.name = memory_text(line + name);
            ARRAY_ADD(code, *count, next);
        }
    }
    ARRAY_SORT(code, *count, compare_code);
    return code;
}

static void name_place(struct profile *profile, const struct code *code,
                       size_t count, uint64_t address)
{
    uint64_t call = address - 1; /* the call lies before its return address */

    count = array_count_until(code, count, sizeof *code, call);
    if (count > 0 && call - code[count - 1].start < code[count - 1].size)
        given_names_add(&profile->given, PROFILE_NO_MODULE, address,
                        &(struct symbol){ .function = code[count - 1].name },
                        1);
}

void perf_map_load(struct profile *profile, const char *path, uid_t owner)
{
    int descriptor = regular_file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    struct code *code;
    size_t count;

    if (file != NULL && is_trusted(descriptor, owner, profile->images)) {
        code = read_map(file, &count);
        for (size_t i = 0; i < profile->stacks.place_count; i++) {
            const struct profile_place *place = &profile->stacks.places[i];

            if (place->module == PROFILE_NO_MODULE &&
                stacks_kind(&profile->stacks, (uint32_t)i) == 0)
                name_place(profile, code, count, place->address);
        }
        for (size_t i = 0; i < profile->site_count; i++) {
            if (profile->sites[i].module == PROFILE_NO_MODULE &&
                profile->sites[i].label == NULL)
                name_place(profile, code, count, profile->sites[i].place);
        }
        for (size_t i = 0; i < count; i++)
            free(code[i].name);
        free(code);
    }
    if (file != NULL)
        fclose(file);
}
