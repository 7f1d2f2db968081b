/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sparse_heap.c - much address space, few pages: print its peaks in KiB
 *
 * Untouched blocks of 100 KB lie far apart; with the recorder's memory in huge
 * pages the heap would be dense. Then come 64 MB of small blocks, all touched.
 */
#include <fcntl.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static void *large(void)
{
    return victim_keep(malloc(100000));
}

static void *small(void)
{
    return victim_keep(malloc(100));
}

static void say_peak(void)
{
    static char text[4096];
    int file = open("/proc/self/status", O_RDONLY);
    ssize_t length = read(file, text, sizeof text - 1);
    char *peak;

    REQUIRE(length > 0);
    close(file);
    text[length] = '\0';
    peak = strstr(text, "VmHWM:");
    REQUIRE(peak != NULL);
    peak += strcspn(peak, "0123456789");
    peak[strcspn(peak, " ")] = '\0';
    victim_say(peak);
    victim_say("\n");
}

int main(void)
{
    for (int i = 0; i < 3000; i++)
        REQUIRE(large() != NULL);
    say_peak();
    for (int i = 0; i < 640000; i++)
        memset(small(), i, 100);
    say_peak();
    return 0;
}
