/* SPDX-License-Identifier: Apache-2.0 */
/*
 * present_pages.h - which pages of a process are in memory
 *
 * /proc/PID/pagemap has a word for each page. It is asked where one mapping is
 * used for two purposes; else /proc/PID/smaps has the sum already.
 */
#ifndef TALLY_TOOL_SESSION_PRESENT_PAGES_H
#define TALLY_TOOL_SESSION_PRESENT_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct present_pages {
    int fd; /* below 0: not to be read */
};

void present_pages_open(struct present_pages *pages, pid_t pid);
void present_pages_close(struct present_pages *pages);

/* Bytes of [start, end), whole pages, that are in memory. False: not known. */
bool present_pages_count(const struct present_pages *pages, uint64_t start,
                         uint64_t end, uint64_t *bytes);

#endif /* TALLY_TOOL_SESSION_PRESENT_PAGES_H */
