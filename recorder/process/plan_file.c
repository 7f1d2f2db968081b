/* SPDX-License-Identifier: Apache-2.0 */
/* plan_file.c - mapping the plan of patches; see allocators.h */
#define _GNU_SOURCE
#include "recorder/process/allocators.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/console_line.h"
#include "format/cursor.h"
#include "ledger/space/session.h"
#include "ports/posix/raw_calls.h"

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

static long open_plan(void)
{
    const char *path = session_path(), *slash = strrchr(path, '/');
    struct cursor digits;
    struct console_line next = { 0 };
    uint64_t number;
    long fd;

    if (slash == NULL)
        return -1;
    digits = (struct cursor){ slash + 1, path + strlen(path) };
    if (!cursor_number(&digits, 10, &number) || number >= INT32_MAX)
        return -1;
    next.size = (size_t)(slash + 1 - path);
    memcpy(next.text, path, next.size);
    console_line_add_number(&next, (uint32_t)number + 1);
    fd = raw_open(next.text, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && !is_sealed(fd)) {
        raw_close((int)fd);
        return -1;
    }
    return fd;
}

const struct patch_plan *plan_file_map(void)
{
    long fd = open_plan(), at;

    if (fd < 0)
        return NULL;
    at = raw_mmap(NULL, sizeof(struct patch_plan), PROT_READ, MAP_PRIVATE,
                  (int)fd, 0);
    raw_close((int)fd);
    return raw_failed(at) ? NULL : (const void *)(uintptr_t)at;
}
