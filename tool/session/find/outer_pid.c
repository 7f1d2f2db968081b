/* SPDX-License-Identifier: Apache-2.0 */
/* outer_pid.c - find a process by its inner number and its start time */
#include "tool/session/find/process_facts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/ledger/ledger_layout.h"
#include "tool/session/find/session_ledgers.h"

/* The last number of NSpid is that of the process's own namespace. */
uint32_t process_inner_pid(pid_t pid)
{
    char words[256];
    const char *last;

    process_status_words(pid, "NSpid:", words);
    last = strrchr(words, '\t');
    return last == NULL ? 0 : (uint32_t)strtoul(last, NULL, 10);
}

bool outer_pid_is_needed(pid_t pid)
{
    return process_inner_pid(pid) != (uint32_t)pid;
}

void outer_pid_write(int session, uint64_t offset)
{
    struct process_walk walk = { .pid = 0 };
    struct ledger_header header;
    struct process_state state;

    if (ledger_header_read(session, offset, &header) < 0 ||
        header.start_ticks == 0)
        return;
    while (process_next(&walk)) {
        if (process_state_read(walk.pid, &state) == 0 &&
            state.start_ticks == header.start_ticks &&
            process_inner_pid(walk.pid) == header.pid) {
            const uint32_t pids[] = { (uint32_t)walk.pid,
                                      (uint32_t)state.parent };

            (void)!pwrite(
                session, pids, sizeof pids,
                (off_t)(offset + offsetof(struct ledger_header, pid)));
            break;
        }
    }
    process_walk_end(&walk);
}
