/* SPDX-License-Identifier: Apache-2.0 */
/* recorder_library.c - finding the recorder; see recorder_library.h */
#include "tool/launch/recorder_library.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORDER_NAME "libtally-record.so"

/* Where it may lie, from the folder of this command. */
static const char *const places[] = {
    "/../lib/" RECORDER_NAME,
    "/" RECORDER_NAME,
};

/* Separators of LD_PRELOAD, and what the loader expands. */
static bool can_be_preloaded(const char *path)
{
    return strpbrk(path, " :$\t\n") == NULL;
}

static int find_beside_command(char *path, struct session_failure *failure)
{
    char command[PATH_MAX];
    char place[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);

    if (length < 0)
        return session_fail(failure, "record: /proc/self/exe: %s; mount /proc",
                            strerror(errno));
    command[length] = '\0';
    *strrchr(command, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(place, sizeof place, "%s%s", command, places[i]);
        if (realpath(place, path) != NULL && access(path, R_OK) == 0)
            return 0;
    }
    return session_fail(failure,
                        "record: no " RECORDER_NAME " beside %s or in "
                        "../lib; install it there or name it in "
                        "TALLY_RECORDER",
                        command);
}

static int link_from_private_folder(struct recorder_library *library,
                                    struct session_failure *failure)
{
    const char *place = secure_getenv("TMPDIR");
    char target[PATH_MAX];

    if (place == NULL || place[0] != '/' || !can_be_preloaded(place) ||
        strlen(place) > PATH_MAX / 2)
        place = "/tmp";
    snprintf(library->folder, sizeof library->folder, "%s/tally-XXXXXX", place);
    strcpy(target, library->path);
    if (mkdtemp(library->folder) == NULL) {
        library->folder[0] = '\0';
        return session_fail(failure,
                            "record: %s: %s; LD_PRELOAD cannot name %s, so a "
                            "link is needed there",
                            place, strerror(errno), target);
    }
    chmod(library->folder, 0755); /* the program may change its user */
    snprintf(library->path, sizeof library->path, "%.*s/" RECORDER_NAME,
             PATH_MAX - 64, library->folder);
    if (symlink(target, library->path) < 0) {
        session_fail(failure, "record: %s: %s; make room there", library->path,
                     strerror(errno));
        recorder_library_remove(library);
        return -1;
    }
    return 0;
}

int recorder_library_find(struct recorder_library *library,
                          struct session_failure *failure)
{
    const char *named = secure_getenv("TALLY_RECORDER");

    library->folder[0] = '\0';
    if (named != NULL && *named != '\0') {
        if (realpath(named, library->path) == NULL ||
            access(library->path, R_OK) < 0)
            return session_fail(failure,
                                "record: TALLY_RECORDER=%s: %s; name the "
                                "recorder or unset it",
                                named, strerror(errno));
    } else if (find_beside_command(library->path, failure) < 0) {
        return -1;
    }
    return can_be_preloaded(library->path)
               ? 0
               : link_from_private_folder(library, failure);
}

void recorder_library_remove(const struct recorder_library *library)
{
    if (library->folder[0] == '\0')
        return;
    unlink(library->path);
    rmdir(library->folder);
}
