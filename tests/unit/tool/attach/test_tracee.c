/* SPDX-License-Identifier: Apache-2.0 */
/* test_tracee.c - stopped threads continue without side effects */
#include "tool/attach/thread_calls.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include <cmocka.h>

#include "tests/unit/tool/attach/victim.h"

enum { THREADS = 200, TURNS = 21 };

static void *work(void *argument)
{
    (void)argument;
    while (!shared->must_end) {
        for (volatile int i = 0; i < 1000; i++)
            ;
        shared->rounds++;
    }
    return NULL;
}

static void *doze(void *argument)
{
    (void)argument;
    while (!shared->must_end) {
        victim_sleep_ms(5);
        shared->rounds++;
    }
    return NULL;
}

/* Every tenth thread has work. */
static void live_in_threads(void)
{
    pthread_t threads[THREADS - 1];

    for (size_t i = 0; i < THREADS - 1; i++)
        pthread_create(&threads[i], NULL, i % 10 == 0 ? work : doze, NULL);
    shared->is_ready = 1;
    for (size_t i = 0; i < THREADS - 1; i++)
        pthread_join(threads[i], NULL);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double now_ms(void)
{
    return (double)tracee_deadline(0) / 1e6;
}

static void all_threads_stop_and_go_on(void **state)
{
    pid_t pid = victim_start(live_in_threads);
    double stopped[TURNS];
    struct tracee tracee;

    (void)state;
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    for (int i = 0; i < TURNS; i++) {
        double start = now_ms();
        unsigned long rounds;

        if (tracee_stop_all(&tracee, TRACEE_STOP_MS) < 0)
            fail_msg("%s", failure.text);
        assert_int_equal(tracee.count, THREADS);
        rounds = shared->rounds;
        stopped[i] = now_ms() - start;
        if (i == 0) {
            victim_sleep_ms(20);
            assert_int_equal(shared->rounds, rounds);
        }
        tracee_release(&tracee);
        while (shared->rounds == rounds)
            victim_sleep_ms(1);
    }
    tracee_close(&tracee);
    qsort(stopped, TURNS, sizeof stopped[0], compare);
    print_message("%d threads stand after: median %.2f ms, worst %.2f ms\n",
                  THREADS, stopped[TURNS / 2], stopped[TURNS - 1]);
    victim_finish(pid);
}

static atomic_int handled;

static void handle(int number)
{
    (void)number;
    handled++;
}

static int epoll, pipe_ends[2];

/* A wait that returns EINTR after a stop, until a byte arrives. */
static void live_in_epoll(void)
{
    struct sigaction action = { .sa_handler = handle };
    struct epoll_event event;

    sigaction(SIGUSR1, &action, NULL);
    signal(SIGUSR2, SIG_IGN);
    shared->is_ready = 1;
    while (!shared->must_end) {
        int count = epoll_wait(epoll, &event, 1, -1);

        shared->wrong += count < 0 && (errno != EINTR || handled == 0);
        shared->result += count < 0;
        shared->rounds++;
    }
}

static void stop_once(struct tracee *tracee, pid_t pid, int number)
{
    struct tracee_thread *thread = tracee_stop_one(tracee, pid, TRACEE_STOP_MS);

    assert_non_null(thread);
    if (number != 0)
        kill(pid, number);
    tracee_release(tracee);
    victim_sleep_ms(20);
}

/* Only a handler of the program ends its wait. */
static void a_wait_ends_by_its_own_signals_alone(void **state)
{
    struct epoll_event event = { .events = EPOLLIN };
    struct tracee tracee;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(pipe_ends), 0);
    epoll = epoll_create1(0);
    assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_ends[0], &event), 0);
    pid = victim_start(live_in_epoll);
    victim_sleep_ms(20);
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    for (int i = 0; i < 20; i++)
        stop_once(&tracee, pid, 0);
    stop_once(&tracee, pid, SIGUSR2);
    stop_once(&tracee, pid, SIGCHLD);
    assert_int_equal(shared->rounds, 0);
    stop_once(&tracee, pid, SIGUSR1);
    assert_int_equal(shared->rounds, 1);
    assert_int_equal(shared->result, 1);
    tracee_close(&tracee);
    shared->must_end = 1;
    assert_int_equal(write(pipe_ends[1], "x", 1), 1);
    victim_finish(pid);
}

/* A stopped program stays stopped until it is continued. */
static void a_group_stop_is_kept(void **state)
{
    pid_t pid = victim_start(live_in_threads);
    struct tracee tracee;
    unsigned long rounds;
    int status;

    (void)state;
    kill(pid, SIGSTOP);
    waitpid(pid, &status, WUNTRACED);
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    assert_int_equal(tracee_stop_all(&tracee, TRACEE_STOP_MS), 0);
    assert_true(tracee.threads[0].is_in_group_stop);
    tracee_release(&tracee);
    rounds = shared->rounds;
    victim_sleep_ms(20);
    assert_int_equal(shared->rounds, rounds);
    kill(pid, SIGCONT);
    while (shared->rounds == rounds)
        victim_sleep_ms(1);
    tracee_close(&tracee);
    victim_finish(pid);
}

/* A thread sleeps in vfork until the child runs a program. */
static void *fork_and_wait(void *argument)
{
    static char *const program[] = { "true", NULL };
    static char *const none[] = { NULL };
    pid_t child;

    (void)argument;
    shared->is_ready = 1;
    child = vfork();
    if (child == 0) {
        while (!shared->must_end)
            ;
        execve("/bin/true", program, none);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return NULL;
}

static void live_beside_vfork(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, fork_and_wait, NULL);
    doze(NULL);
    pthread_join(thread, NULL);
}

/* A thread in vfork cannot be stopped, and delays nothing. */
static void a_thread_in_vfork_stops_late(void **state)
{
    pid_t pid = victim_start(live_beside_vfork);
    unsigned long rounds;
    struct tracee tracee;

    (void)state;
    victim_sleep_ms(50);
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tracee_stop_all(&tracee, 100), -1);
        assert_non_null(strstr(failure.text, "not all threads stopped"));
        tracee_release(&tracee);
        rounds = shared->rounds;
        while (shared->rounds == rounds)
            victim_sleep_ms(1);
    }
    shared->must_end = 1;
    while (process_is_alive(pid, 0)) {
        tracee_release_late();
        victim_sleep_ms(1);
    }
    tracee_close(&tracee);
    victim_finish(pid);
}

static void give_up_rights(void)
{
    shared->is_ready = 1;
    while (shared->rounds == 0)
        victim_sleep_ms(1);
    if (setresuid(65534, 65534, 65534) != 0)
        shared->wrong = 1;
    shared->rounds = 2;
    while (!shared->must_end)
        victim_sleep_ms(1);
}

/* The process may run another program by then, with more privileges. */
static void registers_are_set_only_while_rights_are_as_they_were(void **state)
{
    pid_t pid = victim_start(give_up_rights);
    struct user_regs_struct registers;
    struct tracee_thread *thread;
    struct tracee tracee;

    (void)state;
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    thread = tracee_stop_one(&tracee, pid, TRACEE_STOP_MS);
    assert_non_null(thread);
    assert_true(tracee_get_registers(pid, &registers));
    assert_true(tracee_set_registers(&tracee, pid, &registers));
    tracee_release(&tracee);
    shared->rounds = 1;
    while (shared->rounds != 2)
        victim_sleep_ms(1);
    if (geteuid() == 0) {
        assert_non_null(tracee_stop_one(&tracee, pid, TRACEE_STOP_MS));
        assert_true(tracee_get_registers(pid, &registers));
        assert_false(tracee_set_registers(&tracee, pid, &registers));
        tracee_release(&tracee);
    }
    tracee_close(&tracee);
    if (geteuid() != 0)
        shared->wrong = 0; /* it had no right to become another user */
    victim_finish(pid);
}

static void become_another(void)
{
    static char *const program[] = { "sleep", "30", NULL };
    static char *const none[] = { NULL };

    shared->is_ready = 1;
    while (shared->rounds == 0)
        victim_sleep_ms(1);
    execve("/bin/sleep", program, none);
}

static void memory_is_that_of_the_program_that_was_opened(void **state)
{
    pid_t pid = victim_start(become_another);
    uint64_t at = (uint64_t)(uintptr_t)&failure;
    struct tracee tracee;
    char name[256] = "";
    char byte = 1;

    (void)state;
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    assert_true(tracee_read(&tracee, at, &byte, 1));
    shared->rounds = 1;
    while (strcmp(name, "sleep") != 0)
        process_status_words(pid, "Name:\t", name);
    assert_false(tracee_read(&tracee, at, &byte, 1));
    assert_false(tracee_write(&tracee, at, &byte, 1));
    tracee_close(&tracee);
    victim_kill(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_threads_stop_and_go_on),
        cmocka_unit_test(a_wait_ends_by_its_own_signals_alone),
        cmocka_unit_test(a_group_stop_is_kept),
        cmocka_unit_test(a_thread_in_vfork_stops_late),
        cmocka_unit_test(registers_are_set_only_while_rights_are_as_they_were),
        cmocka_unit_test(memory_is_that_of_the_program_that_was_opened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
