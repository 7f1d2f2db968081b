/* SPDX-License-Identifier: Apache-2.0 */
/*
 * floods.c - files and processes that look like recordings and are none
 *
 *     floods FILES PROCESSES mapped|unmapped [UID]
 *
 * FILES files have the name of a session; one of them is a session. Each
 * process has all of them open, and a ledger in the session, mapped or not. The
 * processes end when standard input is closed.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ledger/ledger_layout.h"
#include "format/ledger/session_layout.h"

static void need(int is_done, const char *what)
{
    if (is_done)
        return;
    perror(what);
    exit(99);
}

static int make_session(void)
{
    struct session_header header = { .version = SESSION_VERSION,
                                     .extent_size = SESSION_EXTENT_SIZE };
    int fd = memfd_create("tally", MFD_ALLOW_SEALING);

    memcpy(header.magic, SESSION_MAGIC, SESSION_MAGIC_SIZE);
    need(fd >= 0 && ftruncate(fd, (off_t)SESSION_FILE_SIZE) == 0 &&
             fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0 &&
             pwrite(fd, &header, sizeof header, 0) == sizeof header,
         "a session");
    return fd;
}

static uint64_t start_ticks(void)
{
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/self/stat", "r");

    need(file != NULL && fscanf(file,
                                "%*d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                                "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                                &ticks) == 1,
         "the time of birth");
    fclose(file);
    return ticks;
}

static void be_process(int session, int number, int is_mapped)
{
    off_t at = (off_t)((uint64_t)(number + 1) * SESSION_EXTENT_SIZE);
    struct ledger_header header = { .pid = (uint32_t)getpid(),
                                    .parent_pid = (uint32_t)getppid(),
                                    .start_ticks = start_ticks() };

    memcpy(header.magic, LEDGER_MAGIC, LEDGER_MAGIC_SIZE);
    need(pwrite(session, &header, sizeof header, at) == sizeof header &&
             (!is_mapped || mmap(NULL, 4096, PROT_READ, MAP_SHARED, session,
                                 at) != MAP_FAILED),
         "a ledger");
}

int main(int argc, char **argv)
{
    int files = argc < 4 ? 0 : atoi(argv[1]);
    int processes = argc < 4 ? 0 : atoi(argv[2]);
    int is_mapped = argc > 3 && strcmp(argv[3], "mapped") == 0;
    int session, ready[2];
    struct rlimit limit;
    char byte;

    if (argc > 4)
        need(setgid((gid_t)atoi(argv[4])) == 0 &&
                 setuid((uid_t)atoi(argv[4])) == 0,
             "another user");
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    while (files-- > 0)
        need(memfd_create("tally", 0) >= 0, "a file");
    session = make_session();
    need(pipe(ready) == 0, "a pipe");
    for (int i = 0; i < processes; i++) {
        pid_t child = fork();

        need(child >= 0, "a process");
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            be_process(session, i, is_mapped);
            need(write(ready[1], ".", 1) == 1, "the pipe");
            for (;;)
                pause();
        }
    }
    for (int i = 0; i < processes; i++)
        need(read(ready[0], &byte, 1) == 1, "the pipe");
    puts("all are there");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    return 0; /* the kernel kills the others */
}
