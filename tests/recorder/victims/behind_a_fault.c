/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behind_a_fault.c - make tally record read a page that never arrives
 *
 * The ledger's header names a table in this process's memory, which tally
 * record reads. Here the table lies in a userfaultfd range whose reader, this
 * process, never answers. Print "asked" once a read waits there; then tally
 * record must send SIGTERM.
 *
 * Exit with 5 when SIGTERM arrives, with 77 if no userfaultfd can be had.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "format/ledger/ledger_layout.h"
#include "tests/recorder/victims/victim.h"

enum { ROUND_MS = 10, ROUNDS = 6000 };

static struct ledger_header *find_header(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    struct ledger_header *header = NULL;
    char line[512];

    REQUIRE(maps != NULL);
    while (header == NULL && fgets(line, sizeof line, maps) != NULL) {
        uint64_t start;

        if (strstr(line, "/memfd:tally") != NULL &&
            sscanf(line, "%" SCNx64, &start) == 1 &&
            memcmp((void *)(uintptr_t)start, LEDGER_MAGIC, LEDGER_MAGIC_SIZE) ==
                0)
            header = (void *)(uintptr_t)start;
    }
    fclose(maps);
    return header;
}

/* Map a page whose faults are never answered. */
static int make_fault(uint64_t *page)
{
    struct uffdio_api api = { .api = UFFD_API };
    struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
    int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(at != MAP_FAILED);
    *page = (uint64_t)(uintptr_t)at;
    range.range.start = *page;
    range.range.len = 4096;
    if (fd < 0 || ioctl(fd, UFFDIO_API, &api) < 0 ||
        ioctl(fd, UFFDIO_REGISTER, &range) < 0)
        exit(77);
    return fd;
}

int main(void)
{
    const struct timespec round = { 0, ROUND_MS * 1000000 };
    struct ledger_header *header;
    struct pollfd fault = { .events = POLLIN };
    bool is_said = false;
    sigset_t awaited;
    uint64_t page;

    sigemptyset(&awaited);
    sigaddset(&awaited, SIGTERM);
    sigprocmask(SIG_BLOCK, &awaited, NULL);
    free(victim_keep(malloc(100)));
    header = find_header();
    fault.fd = make_fault(&page);
    for (int i = 0; i < ROUNDS; i++) {
        if (header != NULL)
            header->map_table = page;
        if (sigtimedwait(&awaited, NULL, &round) == SIGTERM)
            return 5;
        if (!is_said && (header == NULL || poll(&fault, 1, 0) > 0)) {
            is_said = true;
            victim_say("asked\n");
        }
    }
    return 99;
}
