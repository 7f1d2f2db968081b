/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_signals.c - handlers that allocate while a child opens its ledger
 *
 * 400 children run under a timer that fires during their first allocation. The
 * handler allocates if it interrupted the program or the recorder, as in
 * first_signals.c. Counts lie in shared memory. The program prints the expected
 * counts.
 */
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#include "tests/recorder/victims/victim.h"

enum { CHILDREN = 400, BLOCKS = 20, PERIOD_NS = 3000, SIGNALS = 100 };

struct range {
    uintptr_t start, end;
};

static long *handler_count;
static int timer;
/* A limit: without it a slow machine would run only handlers. */
static int signals_left = SIGNALS;
static struct range allowed[4];
static int allowed_count;

static void *in_handler(void)
{
    return victim_keep(malloc(40));
}

static void *in_child(void)
{
    return victim_keep(malloc(56));
}

static int note_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (info->dlpi_name[0] != '\0' &&
        strstr(info->dlpi_name, "tally-record") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0 &&
            allowed_count < 4)
            allowed[allowed_count++] =
                (struct range){ start, start + header->p_memsz };
    }
    return 0;
}

static void handle(int signal, siginfo_t *info, void *context)
{
    static const struct itimerspec never;
    const ucontext_t *interrupted = context;
    uintptr_t at = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];

    (void)signal;
    (void)info;
    if (--signals_left == 0)
        syscall(SYS_timer_settime, timer, 0, &never, NULL);
    for (int i = 0; i < allowed_count; i++) {
        if (at >= allowed[i].start && at < allowed[i].end) {
            in_handler();
            __atomic_fetch_add(handler_count, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

static void run_child(long first_ns)
{
    struct itimerspec period = { .it_interval = { .tv_nsec = PERIOD_NS },
                                 .it_value = { .tv_nsec = first_ns } };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
                              .sigev_signo = SIGRTMIN };
    sigset_t all;

    REQUIRE(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0);
    REQUIRE(syscall(SYS_timer_settime, timer, 0, &period, NULL) == 0);
    for (int i = 0; i < BLOCKS; i++) {
        in_child();
        for (volatile int pause = 0; pause < 500; pause++)
            ;
    }
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    _exit(0);
}

int main(void)
{
    struct sigaction action = { .sa_sigaction = handle,
                                .sa_flags = SA_SIGINFO | SA_RESTART };

    handler_count = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(handler_count != MAP_FAILED);
    dl_iterate_phdr(note_library, NULL);
    sigemptyset(&action.sa_mask);
    REQUIRE(sigaction(SIGRTMIN, &action, NULL) == 0);
    free(malloc(10));
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        int status;

        REQUIRE(child >= 0);
        if (child == 0)
            run_child(500 + i * 250);
        REQUIRE(waitpid(child, &status, 0) == child);
        REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    printf("children images %d\n", CHILDREN);
    printf("children site in_handler blocks_total %ld\n", *handler_count);
    printf("children site in_child blocks_total %d\n", CHILDREN * BLOCKS);
    return 0;
}
