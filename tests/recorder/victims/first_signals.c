/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_signals.c - handlers that allocate during a thread's first call
 *
 * 3,000 short threads run under a timer of 20 microseconds that starts before
 * their first allocation. The handler allocates as in signal_storm.c, unless it
 * interrupted libc. The program prints the expected counts.
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

/* Limit of signals for a thread: its first calls are among the first signals.
   Without a limit a thread never ends where a signal takes longer than the
   period. */
enum { THREADS = 3000, PERIOD_NS = 20000, SIGNALS_AT_MOST = 40 };

static long handler_count, thread_count;
static _Thread_local int timer, signal_count;
static uintptr_t own_start, own_end, recorder_start, recorder_end;

static void *in_handler(void)
{
    return victim_keep(malloc(40));
}

static void *in_thread(void)
{
    return victim_keep(malloc(56));
}

static int note_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    int is_recorder = strstr(info->dlpi_name, "tally-record") != NULL;

    (void)size;
    (void)unused;
    if (info->dlpi_name[0] != '\0' && !is_recorder)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;

        if (header->p_type != PT_LOAD || (header->p_flags & PF_X) == 0)
            continue;
        *(is_recorder ? &recorder_start : &own_start) = start;
        *(is_recorder ? &recorder_end : &own_end) = start + header->p_memsz;
    }
    return 0;
}

/* The recorder may be interrupted in libc's dlsym, but never in malloc. */
static void handle(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *interrupted = context;
    uintptr_t at = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
    const struct itimerspec never = { { 0, 0 }, { 0, 0 } };

    (void)signal;
    (void)info;
    if (++signal_count == SIGNALS_AT_MOST)
        syscall(SYS_timer_settime, timer, 0, &never, NULL);
    if (!(at >= own_start && at < own_end) &&
        !(at >= recorder_start && at < recorder_end))
        return;
    in_handler();
    __atomic_fetch_add(&handler_count, 1, __ATOMIC_RELAXED);
}

static void *run(void *argument)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
                              .sigev_signo = SIGRTMIN };
    struct itimerspec period = { .it_interval = { .tv_nsec = PERIOD_NS },
                                 .it_value = { .tv_nsec = 1000 } };

    /* by system call: libc's timer_create allocates */
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    REQUIRE(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0);
    REQUIRE(syscall(SYS_timer_settime, timer, 0, &period, NULL) == 0);
    for (int i = 0; i < 50; i++) {
        in_thread();
        for (volatile int pause = 0; pause < 1000; pause++)
            ;
    }
    __atomic_fetch_add(&thread_count, 50, __ATOMIC_RELAXED);
    REQUIRE(syscall(SYS_timer_delete, timer) == 0);
    return argument;
}

int main(void)
{
    struct sigaction action = { .sa_sigaction = handle,
                                .sa_flags = SA_SIGINFO | SA_RESTART };

    dl_iterate_phdr(note_library, NULL);
    REQUIRE(own_start != 0);
    sigemptyset(&action.sa_mask);
    REQUIRE(sigaction(SIGRTMIN, &action, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;

        REQUIRE(pthread_create(&thread, NULL, run, NULL) == 0);
        REQUIRE(pthread_join(thread, NULL) == 0);
    }
    REQUIRE(handler_count > 0);
    printf("site in_handler blocks_total %ld bytes_total %ld\n", handler_count,
           handler_count * 40);
    printf("site in_thread blocks_total %ld bytes_total %ld\n", thread_count,
           thread_count * 56);
    return 0;
}
