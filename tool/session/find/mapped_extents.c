/* SPDX-License-Identifier: Apache-2.0 */
/* mapped_extents.c - reading every /proc/PID/maps; see mapped_extents.h */
#include "tool/session/find/mapped_extents.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "format/ledger/session_layout.h"
#include "tool/session/find/process_state.h"

struct search {
    uint64_t inode;       /* of the session's file */
    uint64_t start_ticks; /* when this process began: older ones are not ours */
    const struct session_file *session;
    const struct image_table *table;
    struct mapped_extents *found;
    bool maps_any; /* the process that is looked at */
};

static void mark(struct search *search, uint64_t start, uint64_t size)
{
    uint64_t first = start / SESSION_EXTENT_SIZE;
    uint64_t last = (start + size - 1) / SESSION_EXTENT_SIZE;

    for (uint64_t extent = first; extent <= last; extent++) {
        if (extent > 0 && extent <= search->table->count)
            search->found->is_mapped[extent - 1] = true;
        search->maps_any |= extent > 0;
    }
}

/* One line: START-END PERMISSIONS OFFSET DEVICE INODE PATH. */
static void read_line(struct search *search, const char *line)
{
    uint64_t start, end, offset, inode;

    if (strstr(line, "/memfd:tally") == NULL)
        return;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64,
               &start, &end, &offset, &inode) != 4)
        return;
    if (inode == search->inode && end > start)
        mark(search, offset, end - start);
}

/* A process that hides its maps from us may hold ledgers. */
static bool may_be_ours(pid_t pid)
{
    char path[64];
    struct stat status;

    snprintf(path, sizeof path, "/proc/%ld", (long)pid);
    /* Root owns the folder of a process that forbids being dumped. */
    return stat(path, &status) == 0 &&
           (status.st_uid == geteuid() || status.st_uid == 0);
}

/* A forked child that has no ledger of its own. */
static bool is_without(const struct search *search, pid_t pid,
                       const struct process_state *state)
{
    return search->maps_any &&
           !image_table_knows(search->table, search->session, pid,
                              state->start_ticks) &&
           syscall(SYS_kcmp, pid, state->parent, KCMP_VM, 0, 0) != 0;
}

/* False when the process could hold ledgers but does not show. */
static bool search_process(struct search *search, pid_t pid)
{
    char path[64];
    struct process_state state;
    char *line = NULL;
    size_t capacity = 0;
    FILE *file;
    bool is_read;

    if (process_state_read(pid, &state) < 0 ||
        state.start_ticks < search->start_ticks || state.has_ended)
        return true;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    file = fopen(path, "re");
    if (file == NULL) /* ENOENT, ESRCH: it has ended, or is about to */
        return errno == ENOENT || errno == ESRCH || !may_be_ours(pid);
    errno = 0;
    search->maps_any = false;
    while (getline(&line, &capacity, file) > 0)
        read_line(search, line);
    is_read = !ferror(file) || errno == ESRCH;
    search->found->without += is_without(search, pid, &state);
    free(line);
    fclose(file);
    return is_read || !may_be_ours(pid);
}

/*
 * One entry at a time: a buffered list would miss processes that others in it
 * start meanwhile. A child's pid comes after its parent's, until pids wrap.
 */
static bool search_all(struct search *search, int folder)
{
    union {
        struct dirent64 entry;
        char bytes[64];
    } next;
    bool is_complete = true;

    while (getdents64(folder, &next, sizeof next.bytes) > 0) {
        lseek(folder, next.entry.d_off, SEEK_SET);
        if (isdigit((unsigned char)next.entry.d_name[0]))
            is_complete &= search_process(search, atoi(next.entry.d_name));
    }
    return is_complete;
}

void mapped_extents_find(const struct session_file *session,
                         const struct image_table *table,
                         struct mapped_extents *found)
{
    struct search search = { .session = session,
                             .table = table,
                             .found = found };
    struct process_state own;
    struct stat status;
    int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    found->without = 0;
    found->is_complete = folder >= 0 && fstat(session->fd, &status) == 0 &&
                         process_state_read(getpid(), &own) == 0;
    if (found->is_complete) {
        search.inode = status.st_ino;
        search.start_ticks = own.start_ticks;
        found->is_complete = search_all(&search, folder);
    }
    if (folder >= 0)
        close(folder);
}
