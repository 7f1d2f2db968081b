/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_remote_waits.c - a thread that waits in the kernel calls a function, and
 * then continues to wait
 */
#include "tool/attach/thread_calls.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <cmocka.h>

#include "tests/unit/tool/attach/victim.h"

enum { CALLS = 4, WAIT_MS = 4000 };

static uint64_t called(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                       uint64_t e, uint64_t f)
{
    shared->calls++;
    return a + b + c + d + e + f;
}

/* Kinds of waits, each with its result without disturbance. */
static int pipe_ends[2];

static long wait_read(void)
{
    char byte;

    return read(pipe_ends[0], &byte, 1);
}

static long wait_poll(void)
{
    return poll(&(struct pollfd){ pipe_ends[0], POLLIN, 0 }, 1, WAIT_MS);
}

static long wait_select(void)
{
    struct timeval limit = { .tv_sec = WAIT_MS / 1000 };

    return select(0, NULL, NULL, NULL, &limit);
}

static long wait_nanosleep(void)
{
    return nanosleep(&(struct timespec){ WAIT_MS / 1000, 0 }, NULL);
}

static long wait_epoll(void)
{
    struct epoll_event event = { .events = EPOLLIN };
    int epoll = epoll_create1(0);

    epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_ends[0], &event);
    return epoll_wait(epoll, &event, 1, -1);
}

static long wait_futex(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += WAIT_MS / 1000;
    pthread_mutex_lock(&mutex);
    return pthread_cond_timedwait(&condition, &mutex, &limit);
}

static long wait_pause(void)
{
    sigset_t none;

    sigemptyset(&none);
    return sigsuspend(&none) == -1 ? errno : 0;
}

static const struct wait {
    const char *name;
    long (*wait)(void);
    long result;
    long ms; /* 0: until a byte or a signal arrives */
} waits[] = {
    { "read", wait_read, 1, 0 },
    { "poll", wait_poll, 0, WAIT_MS },
    { "select", wait_select, 0, WAIT_MS },
    { "nanosleep", wait_nanosleep, 0, WAIT_MS },
    { "epoll_wait", wait_epoll, 1, 0 },
    { "futex", wait_futex, ETIMEDOUT, WAIT_MS },
    { "sigsuspend", wait_pause, EINTR, 0 },
};

static const struct wait *chosen;

static void handle(int number)
{
    (void)number;
}

static void live_in_wait(void)
{
    struct sigaction action = { .sa_handler = handle };
    sigset_t mask;
    long start = victim_now_ms();

    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    sigaction(SIGUSR1, &action, NULL);
    shared->is_ready = 1;
    shared->result = chosen->wait();
    shared->elapsed_ms = victim_now_ms() - start;
}

static void waits_go_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        uint64_t result;
        long start, last_call_ms = 0;
        pid_t pid;
        int status;

        chosen = &waits[i];
        assert_int_equal(pipe(pipe_ends), 0);
        pid = victim_start(live_in_wait);
        start = victim_now_ms();
        for (int j = 0; j < CALLS; j++) {
            victim_sleep_ms(100);
            last_call_ms = victim_now_ms() - start;
            if (victim_call(pid, (void *)called,
                            j % 2 == 0 ? ON_OWN_STACK : ON_ANOTHER_STACK,
                            (uint64_t[6]){ 7 }, &result) < 0)
                fail_msg("%s: %s", chosen->name, failure.text);
            assert_int_equal(result, 7);
        }
        assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
        if (chosen->ms == 0) {
            assert_int_equal(write(pipe_ends[1], "x", 1), 1);
            kill(pid, SIGUSR1);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        print_message("%s: %ld ms, result %ld\n", chosen->name,
                      (long)shared->elapsed_ms, (long)shared->result);
        assert_int_equal(shared->result, chosen->result);
        assert_int_equal(shared->calls, CALLS);
        if (chosen->ms != 0) /* not restarted by the last call */
            assert_in_range(shared->elapsed_ms, chosen->ms,
                            chosen->ms + last_call_ms - 1);
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        munmap(shared, sizeof *shared);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
