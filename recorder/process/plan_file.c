/* SPDX-License-Identifier: Apache-2.0 */
/* plan_file.c - finding the plan of patches; see allocators.h */
#define _GNU_SOURCE
#include "recorder/process/allocators.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
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

/* Ask the keeper for a plan for this process. */
static void ask(void)
{
    const char *slash = strrchr(session_path(), '/');
    uint32_t pid = (uint32_t)raw_getpid();
    long fd = slash == NULL ? -1 : open_beside(slash, 0, O_WRONLY);
    struct stat status;

    if (fd < 0)
        return;
    if (raw_call(SYS_fstat, fd, RAW_ARGUMENT(&status), 0, 0, 0, 0) == 0 &&
        S_ISFIFO(status.st_mode))
        raw_call(SYS_write, fd, RAW_ARGUMENT(&pid), sizeof pid, 0, 0, 0);
    raw_close((int)fd);
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
        if (ms % ASK_MS == 0)
            ask();
        raw_call(SYS_nanosleep, RAW_ARGUMENT(&moment), 0, 0, 0, 0, 0);
    }
    return NULL;
}
