/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signal_storm.c - handlers that allocate, 10,000 times a second in each thread
 *
 * No C library allows malloc within malloc. So a handler that interrupted libc
 * or the loader returns; one that interrupted the program, or code between the
 * program and libc, allocates. The victim prints the counts of both.
 */
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "tests/recorder/victims/victim.h"

enum { THREADS = 3, RING = 16, SECONDS = 3, PERIOD_NS = 100000 };

struct counts {
    long handled;
    long handler_allocations;
    long handler_live;
    long allocations;
};

static struct counts counts[THREADS];
static void *rings[THREADS][RING];
static _Thread_local int self = -1;
static uintptr_t forbidden[8][2]; /* text of libc and of the loader */
static int forbidden_count;

static void *in_handler(void)
{
    return victim_keep(malloc(40));
}

static void *in_thread(size_t size)
{
    return victim_keep(malloc(size));
}

static int note_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (strstr(info->dlpi_name, "libc.so") == NULL &&
        strstr(info->dlpi_name, "ld-linux") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];

        if (header->p_type != PT_LOAD || (header->p_flags & PF_X) == 0)
            continue;
        REQUIRE(forbidden_count < 8);
        forbidden[forbidden_count][0] = info->dlpi_addr + header->p_vaddr;
        forbidden[forbidden_count++][1] =
            info->dlpi_addr + header->p_vaddr + header->p_memsz;
    }
    return 0;
}

static int is_forbidden(uintptr_t address)
{
    for (int i = 0; i < forbidden_count; i++) {
        if (address >= forbidden[i][0] && address < forbidden[i][1])
            return 1;
    }
    return 0;
}

static void handle(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *interrupted = context;

    (void)signal;
    (void)info;
    if (self < 0)
        return;

    struct counts *own = &counts[self];
    void **slot = &rings[self][own->handler_allocations % RING];

    own->handled++;
    if (is_forbidden((uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP]))
        return;
    own->handler_live += *slot == NULL;
    free(*slot);
    *slot = in_handler();
    own->handler_allocations++;
}

static timer_t start_timer(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
                              .sigev_signo = SIGRTMIN };
    struct itimerspec period = { .it_interval = { .tv_nsec = PERIOD_NS },
                                 .it_value = { .tv_nsec = PERIOD_NS } };
    timer_t timer;

    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    REQUIRE(timer_settime(timer, 0, &period, NULL) == 0);
    return timer;
}

static void *run(void *argument)
{
    int number = (int)(intptr_t)argument;
    struct timespec begin, now;
    timer_t timer;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    self = number;
    timer = start_timer();
    do {
        for (int i = 0; i < 20000; i++) {
            free(in_thread((size_t)(i % 7) * 16 + 8));
            counts[number].allocations++;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - begin.tv_sec < SECONDS);
    timer_delete(timer);
    return NULL;
}

int main(void)
{
    struct sigaction action = { .sa_sigaction = handle,
                                .sa_flags = SA_SIGINFO | SA_RESTART };
    struct counts sum = { 0 };
    pthread_t threads[THREADS];

    dl_iterate_phdr(note_library, NULL);
    REQUIRE(forbidden_count >= 2);
    sigemptyset(&action.sa_mask);
    REQUIRE(sigaction(SIGRTMIN, &action, NULL) == 0);
    for (intptr_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
        sum.handled += counts[i].handled;
        sum.handler_allocations += counts[i].handler_allocations;
        sum.handler_live += counts[i].handler_live;
        sum.allocations += counts[i].allocations;
    }
    REQUIRE(sum.handled > 1000 && sum.handler_allocations > 100);
    printf("site in_handler blocks_total %ld bytes_total %ld blocks_live %ld "
           "bytes_live %ld\n",
           sum.handler_allocations, sum.handler_allocations * 40,
           sum.handler_live, sum.handler_live * 40);
    printf("site in_thread blocks_total %ld blocks_live 0 bytes_live 0\n",
           sum.allocations);
    return 0;
}
