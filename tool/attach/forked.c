/* SPDX-License-Identifier: Apache-2.0 */
/* forked.c - see forked.h */
#include "tool/attach/forked.h"

#include "format/behind.h"
#include "tool/session/find/process_state.h"

enum { MOST_GENERATIONS = 64 };

static void see_map(void *context, const struct smaps_entry *entry)
{
    if (behind(entry->path, "/memfd:tally (") != NULL)
        *(uint64_t *)context = entry->inode;
}

uint64_t forked_session(pid_t pid)
{
    uint64_t inode = 0;

    process_maps_see(pid, see_map, &inode);
    return inode;
}

bool forked_descends(pid_t pid, pid_t from)
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
