/* SPDX-License-Identifier: Apache-2.0 */
/*
 * absent.c - all of attaching and patching, in a command that is built without
 * (TALLY_BUILD_ATTACH=OFF)
 *
 * Every other file of this folder, and displaced.c of tool/patch, is left out,
 * and Zydis is not needed. No process passes target_check(), so none is
 * attached to.
 */
#include "tool/attach/attach.h"
#include "tool/patch/patch.h"

int target_check(pid_t pid, struct session_failure *failure)
{
    return session_fail(failure,
                        "process %ld: this tally was built without attaching; "
                        "start the program under tally record",
                        (long)pid);
}

enum attached_by attached_find(struct attached *attached, pid_t pid,
                               int *session)
{
    (void)pid;
    attached->tracee.pid = 0;
    *session = -1;
    return ATTACHED_BY_NONE;
}

int attached_begin(struct attached *attached, pid_t pid, const char *library,
                   const struct session_header *settings,
                   struct session_file *session,
                   struct session_failure *failure)
{
    (void)attached;
    (void)library;
    (void)settings;
    (void)session;
    return target_check(pid, failure);
}

bool attached_stands(const struct attached *attached)
{
    (void)attached;
    return false;
}

int attached_end(struct attached *attached, int session,
                 struct session_failure *failure)
{
    (void)session;
    return target_check(attached->pid, failure);
}

void attached_close(struct attached *attached)
{
    (void)attached;
}

const char *displaced_move(struct displaced *displaced, const uint8_t *function,
                           size_t size, uint64_t address, uint64_t moved)
{
    (void)displaced;
    (void)function;
    (void)size;
    (void)address;
    (void)moved;
    return "cannot be patched by this build of tally";
}
