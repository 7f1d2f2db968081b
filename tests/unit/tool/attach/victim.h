/* SPDX-License-Identifier: Apache-2.0 */
/*
 * victim.h - a child of the test to attach to, with the test's functions at
 * equal addresses
 *
 * Include after <cmocka.h>.
 */
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool/attach/thread_calls.h"

enum { VICTIM_SECONDS = 60, VICTIM_STACK = 1 << 18 };

/* Memory shared by victim and test. */
struct shared {
    atomic_int is_ready;
    atomic_int must_end;
    atomic_int must_kill;
    atomic_ulong rounds; /* rounds of the victim's work */
    atomic_ulong wrong;  /* errors it found */
    atomic_ulong calls;  /* calls made in it */
    atomic_ulong inside; /* no call may be made now */
    atomic_long result, elapsed_ms;
};

static struct shared *shared;
static char *victim_stack; /* in the victim; unused by its threads */
static struct session_failure failure;

static inline void victim_sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static inline long victim_now_ms(void)
{
    return (long)(tracee_deadline(0) / 1000000);
}

/* `live` sets is_ready. */
static inline pid_t victim_start(void (*live)(void))
{
    pid_t pid;

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (victim_stack == NULL)
        victim_stack = mmap(NULL, VICTIM_STACK, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(VICTIM_SECONDS);
        live();
        _exit(0);
    }
    while (!shared->is_ready)
        victim_sleep_ms(1);
    return pid;
}

static inline void victim_kill(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    munmap(shared, sizeof *shared);
}

/* The victim exits by itself, with success. */
static inline void victim_finish(pid_t pid)
{
    int status;

    shared->must_end = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(shared->wrong, 0);
    munmap(shared, sizeof *shared);
}

/* Stack of the call: the thread's own, or victim_stack. */
enum victim_place { ON_OWN_STACK, ON_ANOTHER_STACK };

enum { VICTIM_LIMIT_MS = 60000 }; /* for machines that are slow or busy */

static inline struct remote_function victim_function(void *function,
                                                     enum victim_place place)
{
    return (struct remote_function){ .address = (uint64_t)function,
                                     .stack = place == ON_OWN_STACK
                                                  ? 0
                                                  : (uint64_t)victim_stack +
                                                        VICTIM_STACK };
}

/* Make one call from start to end; return 0 or -1, with the reason in
   `failure`. */
static inline int victim_call(pid_t pid, void *function,
                              enum victim_place place,
                              const uint64_t arguments[6], uint64_t *result)
{
    struct remote_function called = victim_function(function, place);
    struct tracee tracee;
    struct remote remote;
    int outcome = -1;

    failure.text[0] = '\0';
    if (tracee_open(&tracee, pid, &failure) < 0)
        return -1;
    if (remote_open(&remote, &tracee) == 0) {
        remote.limit_ms = VICTIM_LIMIT_MS;
        outcome = remote_call(&remote, &called, arguments, result);
        remote_close(&remote);
    }
    tracee_close(&tracee);
    return outcome;
}
