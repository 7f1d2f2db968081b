/* SPDX-License-Identifier: Apache-2.0 */
/* forked.c - see forked.h */
#include "tool/attach/forked.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/behind.h"
#include "format/ledger/patch_plan.h"
#include "tool/session/find/process_state.h"

enum { MOST_GENERATIONS = 64 };

struct look {
    uint64_t inode; /* of the session's file */
    bool has_session, has_moved_code;
};

static void see_map(void *context, const struct smaps_entry *entry)
{
    struct look *look = context;

    look->has_session |= entry->inode == look->inode &&
                         behind(entry->path, "/memfd:tally") != NULL;
    look->has_moved_code |= behind(entry->path, "/memfd:" PATCH_AREA) != NULL;
}

/* Return true if it may have jumps that lead to a recorder of this session. */
static bool shares(pid_t pid, uint64_t inode)
{
    struct look look = { .inode = inode };

    process_maps_see(pid, see_map, &look);
    return look.has_session && look.has_moved_code;
}

static bool descends(pid_t pid, pid_t from)
{
    struct process_state state = { .parent = pid };

    for (int i = 0; i < MOST_GENERATIONS && state.parent > 1; i++) {
        if (process_state_read(state.parent, &state) < 0)
            return false;
        if (state.parent == from)
            return true;
    }
    return false;
}

static bool has_rights_of(pid_t pid, pid_t other)
{
    static const char *const keys[] = { "Uid:", "Gid:", "Groups:", "CapPrm:",
                                        "CapBnd:" };
    char of_one[256], of_other[256];
    bool are_same = true;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        process_status_words(pid, keys[i], of_one);
        process_status_words(other, keys[i], of_other);
        are_same &= strcmp(of_one, of_other) == 0;
    }
    return are_same;
}

void forked_each(pid_t pid, int session,
                 void (*see)(pid_t child, void *context), void *context,
                 struct forked_others *others)
{
    struct stat status;
    struct dirent *entry;
    DIR *folder = fstat(session, &status) < 0 ? NULL : opendir("/proc");

    *others = (struct forked_others){ 0 };
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        pid_t child = (pid_t)atol(entry->d_name);

        if (!isdigit((unsigned char)entry->d_name[0]) || child == pid ||
            !shares(child, status.st_ino))
            continue;
        if (descends(child, pid) && has_rights_of(child, pid))
            see(child, context);
        else if (others->count++ == 0)
            others->first = child;
    }
    if (folder != NULL)
        closedir(folder);
}
