/* SPDX-License-Identifier: Apache-2.0 */
/* plan_file.c - finding the plan of patches; see allocators.h */
#define _GNU_SOURCE
#include "recorder/process/allocators.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/console_line.h"
#include "format/cursor.h"
#include "ledger/space/session.h"
#include "ports/posix/raw_calls.h"
#include "recorder/real_functions.h"

/* for a plan, which the keeper makes meanwhile */
enum { WAIT_MS = 2000, ASK_MS = 200 };

_Static_assert((int)PATCH_WHY <= (int)SESSION_SYMBOL_CAPACITY, "room for it");

/* Return true if no process can change the file, and it belongs to root or this
   user: the name may lead to another user's process. */
static bool is_sealed(long fd)
{
    const long seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
    long found = raw_call(SYS_fcntl, fd, F_GET_SEALS, 0, 0, 0, 0);
    struct stat status;

    return found >= 0 && (found & seals) == seals &&
           raw_call(SYS_fstat, fd, RAW_ARGUMENT(&status), 0, 0, 0, 0) == 0 &&
           (uint64_t)status.st_size >= sizeof(struct patch_plan) &&
           (status.st_uid == 0 ||
            (long)status.st_uid == raw_call(SYS_geteuid, 0, 0, 0, 0, 0, 0));
}

/* Open another descriptor of the process that has the session's file. */
static long open_beside(const char *slash, uint32_t number, int flags)
{
    const char *path = session_path();
    struct console_line beside = { .size = (size_t)(slash + 1 - path) };

    memcpy(beside.text, path, beside.size);
    console_line_add_number(&beside, number);
    return raw_open(beside.text, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static long open_plan(void)
{
    const char *path = session_path(), *slash = strrchr(path, '/');
    struct cursor digits;
    uint64_t number;
    long fd;

    if (slash == NULL)
        return -1;
    digits = (struct cursor){ slash + 1, path + strlen(path) };
    if (!cursor_number(&digits, 10, &number) || number >= INT32_MAX)
        return -1;
    fd = open_beside(slash, (uint32_t)number + 1, O_RDONLY);
    if (fd >= 0 && !is_sealed(fd)) {
        raw_close((int)fd);
        return -1;
    }
    return fd;
}

static const struct patch_plan *map_plan(void)
{
    long fd = open_plan(), at;

    if (fd < 0)
        return NULL;
    at = raw_mmap(NULL, sizeof(struct patch_plan), PROT_READ, MAP_PRIVATE,
                  (int)fd, 0);
    raw_close((int)fd);
    return raw_failed(at) ? NULL : (const void *)(uintptr_t)at;
}

static bool is_for_us(const struct patch_plan *plan, uint64_t nonce)
{
    struct stat status;

    return plan->nonce == nonce &&
           raw_call(SYS_newfstatat, AT_FDCWD, RAW_ARGUMENT("/proc/self/exe"),
                    RAW_ARGUMENT(&status), 0, 0, 0) == 0 &&
           status.st_dev == plan->device && status.st_ino == plan->inode;
}

/* Return the pid of this process in the namespace of /proc, as the keeper needs
   it; 0 if it has none there. */
static uint32_t own_pid(void)
{
    char link[16];
    long size = raw_call(SYS_readlinkat, AT_FDCWD, RAW_ARGUMENT("/proc/self"),
                         RAW_ARGUMENT(link), sizeof link, 0, 0);
    struct cursor digits = { link, link + (size > 0 ? size : 0) };
    uint64_t pid;

    return cursor_number(&digits, 10, &pid) ? (uint32_t)pid : 0;
}

/* Ask the keeper for a plan for this process. Return false if it is gone. The
   pipe has a reader in this process, too: without one a write kills. */
static bool ask(void)
{
    const char *slash = strrchr(session_path(), '/');
    uint32_t pid = own_pid();
    long fd = slash == NULL || pid == 0 ? -1 : open_beside(slash, 0, O_RDWR);
    struct stat status;
    bool is_asked;

    if (fd < 0)
        return false;
    is_asked =
        raw_call(SYS_fstat, fd, RAW_ARGUMENT(&status), 0, 0, 0, 0) == 0 &&
        S_ISFIFO(status.st_mode);
    if (is_asked) /* if the pipe is full, ask again later */
        raw_call(SYS_write, fd, RAW_ARGUMENT(&pid), sizeof pid, 0, 0, 0);
    raw_close((int)fd);
    return is_asked;
}

const struct patch_plan *plan_file_find(const struct session_header *header)
{
    bool may_ask =
        header->patches == SESSION_PATCHES_ASKED && real_is_past_executable();
    const struct timespec moment = { .tv_nsec = 1000000 };

    /* Others may ask at the same time, so ask again now and then. */
    for (int ms = 0; ms < WAIT_MS; ms++) {
        const struct patch_plan *plan = map_plan();

        if (plan != NULL && is_for_us(plan, header->nonce))
            return plan;
        if (plan != NULL)
            raw_munmap((void *)(uintptr_t)plan, sizeof *plan);
        if (!may_ask)
            break;
        if (ms % ASK_MS == 0 && !ask())
            break;
        raw_call(SYS_nanosleep, RAW_ARGUMENT(&moment), 0, 0, 0, 0, 0);
    }
    return NULL;
}
