/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locked_memory.c - mlockall of present and future memory, within a limit
 *
 * The limit is 64 MiB, or 8 MiB where the machine allows no more. It bounds
 * locked memory, and at the call the whole address space if present memory is
 * to be locked. The recorder's 7 MiB leave too little of 8 MiB, so only future
 * memory is locked there. The program holds a sixteenth of the limit in small
 * blocks before the call, and another after it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "tests/recorder/victims/victim.h"

enum { LARGE = 64 << 20 };

static void *before(void)
{
    return victim_keep(malloc(1000));
}

static void *after(void)
{
    return victim_keep(malloc(1000));
}

static void *later(void)
{
    return victim_keep(malloc(200000));
}

static void say_locked(void)
{
    static char text[4096];
    int file = open("/proc/self/status", O_RDONLY);
    ssize_t length = read(file, text, sizeof text - 1);
    char *locked;

    REQUIRE(length > 0);
    text[length] = '\0';
    locked = strstr(text, "VmLck:");
    REQUIRE(locked != NULL);
    locked += strcspn(locked, "0123456789");
    locked[strcspn(locked, " ")] = '\0';
    victim_say(locked);
    close(file);
}

int main(int argc, char **argv)
{
    static char text[300];
    struct rlimit limit;
    long count;

    REQUIRE(getrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    if (argc == 2) /* as root, who has no limit */
        limit.rlim_cur = LARGE;
    REQUIRE(limit.rlim_cur <= LARGE);
    count = (long)limit.rlim_cur / 16 / 1024;
    for (long i = 0; i < count; i++)
        REQUIRE(before() != NULL);
    REQUIRE(mlockall(limit.rlim_cur < LARGE ? MCL_FUTURE
                                            : MCL_CURRENT | MCL_FUTURE) == 0);
    for (long i = 0; i < count; i++)
        REQUIRE(after() != NULL);
    for (int i = 0; i < 5; i++)
        free(later());
    if (argc == 2) {
        say_locked();
        return argv[1][0] != 'a';
    }
    snprintf(text, sizeof text,
             "site before blocks_total %ld blocks_live %ld\n"
             "site after blocks_total %ld blocks_live %ld\n"
             "site later blocks_total 5 bytes_total 1000000 blocks_live 0\n",
             count, count, count, count);
    victim_say(text);
    return 0;
}
