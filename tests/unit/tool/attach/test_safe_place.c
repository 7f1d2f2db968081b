/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_safe_place.c - functions are only called where the program could call
 * them
 */
#include "tool/attach/thread_calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/rseq.h>

#include <cmocka.h>

#include "tests/fakes/skip.h"
#include "tests/unit/tool/attach/victim.h"

enum { CALLS = 20 };

/* Allocate and call the loader: if that is not safe, the victim hangs or ends.
   `inside` is set where it is not safe. */
static uint64_t called(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                       uint64_t e, uint64_t f)
{
    void *library = dlopen("libz.so.1", RTLD_NOW);
    uint64_t is_right = shared->inside == 0 && library != NULL;

    free(malloc(a + b + c + d + e + f));
    shared->calls++;
    return is_right;
}

static void live_in_malloc(void)
{
    void *blocks[64] = { NULL };
    unsigned seed = 1;

    shared->is_ready = 1;
    while (!shared->must_end) {
        size_t i = (unsigned)rand_r(&seed) % 64;

        free(blocks[i]);
        blocks[i] = malloc((unsigned)rand_r(&seed) % 100000);
        shared->rounds++;
        for (volatile int j = 0; j < 200; j++)
            ;
    }
}

static void live_in_dlopen(void)
{
    shared->is_ready = 1;
    while (!shared->must_end) {
        void *library = dlopen("libutil.so.1", RTLD_NOW);

        shared->wrong += library == NULL;
        dlclose(library);
        shared->rounds++;
        for (volatile int j = 0; j < 100000; j++)
            ;
    }
}

static void handle(int number)
{
    (void)number;
    shared->inside = 1;
    for (volatile int j = 0; j < 100000; j++)
        ;
    shared->inside = 0;
}

static void live_in_handler(void)
{
    struct sigaction action = { .sa_handler = handle };

    sigaction(SIGUSR1, &action, NULL);
    shared->is_ready = 1;
    while (!shared->must_end) {
        raise(SIGUSR1);
        shared->rounds++;
        for (volatile int j = 0; j < 500000; j++)
            ;
    }
}

static void live_in_fork(void)
{
    shared->is_ready = 1;
    while (!shared->must_end) {
        pid_t child = fork();

        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
        shared->rounds++;
    }
}

static void *end_at_once(void *argument)
{
    return argument;
}

static void live_in_threads(void)
{
    shared->is_ready = 1;
    while (!shared->must_end) {
        pthread_t thread;

        pthread_create(&thread, NULL, end_at_once, malloc(10));
        pthread_join(thread, NULL);
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
        shared->rounds++;
    }
}

static void *sleep_for_ever(void *argument)
{
    for (;;)
        victim_sleep_ms(1);
    return argument;
}

/* The thread is stopped until its child runs another program. */
static void live_in_vfork(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, sleep_for_ever, NULL);
    while (!shared->must_end) {
        pid_t child = vfork();

        if (child == 0) {
            usleep(20000);
            _exit(0);
        }
        shared->is_ready = 1;
        waitpid(child, NULL, 0);
        shared->rounds++;
    }
}

static void live_in_printf(void)
{
    FILE *file = fopen("/dev/null", "w");

    shared->is_ready = 1;
    while (!shared->must_end) {
        fprintf(file, "%200d %f\n", 7, (double)shared->rounds);
        shared->rounds++;
        for (volatile int j = 0; j < 10000; j++)
            ;
    }
}

/*
 * Spend `turns` in a restartable sequence, which restarts when the kernel has
 * run another thread. If the kernel finds the thread outside of it, as in a
 * call by the tracer, it clears the sequence: return 1 if that happened.
 */
static uint64_t stay_in_sequence(uint64_t *rseq_cs, uint64_t turns)
{
    uint64_t was_forgotten = 0;

    __asm__ volatile(".pushsection .data\n"
                     ".balign 32\n"
                     "3: .long 0, 0\n" /* version, flags */
                     ".quad 1f, 2f - 1f, 4f\n"
                     ".popsection\n"
                     "5: leaq 3b(%%rip), %%rax\n"
                     "movq %%rax, (%[rseq_cs])\n"
                     "1: cmpq $0, (%[rseq_cs])\n"
                     "je 6f\n"
                     "decq %[turns]\n"
                     "jnz 1b\n"
                     "2: jmp 7f\n"
                     ".long %c[signature]\n"
                     "4: jmp 5b\n" /* restart */
                     "6: movq $1, %[was_forgotten]\n"
                     "7:\n"
                     : [turns] "+r"(turns), [was_forgotten] "+r"(was_forgotten)
                     : [rseq_cs] "r"(rseq_cs), [signature] "i"(RSEQ_SIG)
                     : "rax", "cc", "memory");
    return was_forgotten;
}

static void live_in_sequence(void)
{
    struct rseq *area =
        (void *)((char *)__builtin_thread_pointer() + __rseq_offset);

    shared->is_ready = 1;
    while (!shared->must_end) {
        shared->wrong += stay_in_sequence((void *)&area->rseq_cs, 1000000);
        shared->rounds++;
        for (volatile int j = 0; j < 100000; j++)
            ;
    }
}

static void calls_in(const char *name, void (*live)(void), int calls)
{
    pid_t pid = victim_start(live);
    struct tracee tracee;
    struct remote remote;
    uint64_t result, stack, size = 1 << 18;
    unsigned long rounds;
    long start = victim_now_ms();

    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    if (remote_open(&remote, &tracee) < 0)
        fail_msg("%s: %s", name, failure.text);
    remote.limit_ms = VICTIM_LIMIT_MS;
    if (remote_map(&remote, size, &stack) < 0)
        fail_msg("%s: %s", name, failure.text);
    for (int i = 0; i < calls; i++) {
        if (remote_call(&remote,
                        &(struct remote_function){ .address = (uint64_t)called,
                                                   .stack = stack + size },
                        (uint64_t[]){ 100, 0, 0, 0, 0, 0 }, &result) < 0)
            fail_msg("%s: %s", name, failure.text);
        assert_int_equal(result, 1);
    }
    print_message("%s: %d calls in %ld ms\n", name, calls,
                  victim_now_ms() - start);
    remote_close(&remote);
    tracee_close(&tracee);
    rounds = shared->rounds;
    while (shared->rounds < rounds + 3)
        victim_sleep_ms(1);
    victim_finish(pid);
}

static void calls_are_made_where_they_may(void **state)
{
    (void)state;
    calls_in("malloc", live_in_malloc, CALLS);
    calls_in("dlopen", live_in_dlopen, CALLS);
    calls_in("handler", live_in_handler, CALLS);
    calls_in("fork", live_in_fork, CALLS);
    calls_in("vfork", live_in_vfork, CALLS);
    calls_in("threads", live_in_threads, CALLS);
    calls_in("printf", live_in_printf, CALLS);
}

/* A sequence is found, and none is interrupted by a call. */
static void a_restartable_sequence_is_passed_over(void **state)
{
    char why[SAFE_PLACE_WHY_SIZE] = "";
    struct tracee tracee;
    struct safe_place *place;
    pid_t pid;

    (void)state;
    if (__rseq_size == 0)
        SKIP("libc has no rseq area; unset GLIBC_TUNABLES, Linux 4.18");
    pid = victim_start(live_in_sequence);
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    place = safe_place_open(&tracee);
    assert_non_null(place);
    for (int i = 0; i < 1000 && strstr(why, "in a restartable") == NULL; i++) {
        assert_non_null(tracee_stop_one(&tracee, pid, TRACEE_STOP_MS));
        (void)safe_place_look(place, pid, why);
        tracee_release(&tracee);
    }
    assert_string_equal(why, "is in a restartable sequence");
    safe_place_close(place);
    tracee_close(&tracee);
    victim_finish(pid);
    calls_in("sequence", live_in_sequence, CALLS);
}

/* Refuse the call in a handler, with the reason. */
static void stay_in_handler(int number)
{
    (void)number;
    shared->is_ready = 1;
    for (;;)
        pause();
}

static void live_in_handler_for_ever(void)
{
    struct sigaction action = { .sa_handler = stay_in_handler };

    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

static int compare_for_ever(const void *left, const void *right)
{
    shared->is_ready = 1;
    while (!shared->must_end)
        pause();
    return left < right;
}

static void live_in_qsort(void)
{
    qsort((int[]){ 2, 1 }, 2, sizeof(int), compare_for_ever);
}

static int pause_for_ever(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    return compare_for_ever(info, data);
}

static void live_in_loader(void)
{
    dl_iterate_phdr(pause_for_ever, NULL);
}

static void exit_for_ever(void)
{
    compare_for_ever(NULL, NULL);
}

static void live_in_exit(void)
{
    atexit(exit_for_ever);
    exit(0);
}

/* libc's file, also mapped a second time, not by the loader. */
static void read_libc(void)
{
    struct link_map *map = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    int fd = open(map->l_name, O_RDONLY);

    shared->wrong +=
        mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED;
    live_in_malloc();
}

static void a_file_that_is_read_is_not_loaded(void **state)
{
    (void)state;
    calls_in("read libc", read_libc, 1);
}

static void expect_refusal(void (*live)(void), const char *why)
{
    pid_t pid = victim_start(live);
    struct tracee tracee;
    struct remote remote;
    uint64_t result;

    victim_sleep_ms(5);
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    if (remote_open(&remote, &tracee) < 0)
        fail_msg("%s: %s", why, failure.text);
    remote.limit_ms = 200;
    assert_int_equal(
        remote_call(&remote,
                    &(struct remote_function){ .address = (uint64_t)called },
                    (uint64_t[6]){ 0 }, &result),
        -1);
    if (strstr(failure.text, why) == NULL)
        fail_msg("%s", failure.text);
    assert_int_equal(shared->calls, 0);
    remote_close(&remote);
    tracee_close(&tracee);
    victim_kill(pid);
}

static void no_call_is_made_elsewhere(void **state)
{
    (void)state;
    expect_refusal(live_in_handler_for_ever, "is in a signal handler");
    if (IS_SANITIZED) /* sanitizers intercept these */
        return;
    expect_refusal(live_in_qsort, "is inside libc, in a function without");
    expect_refusal(live_in_loader,
                   "is inside libc, where it may hold a lock (dl_");
    expect_refusal(live_in_exit, "is in");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_made_where_they_may),
        cmocka_unit_test(a_file_that_is_read_is_not_loaded),
        cmocka_unit_test(a_restartable_sequence_is_passed_over),
        cmocka_unit_test(no_call_is_made_elsewhere),
    };

    return skip_status(cmocka_run_group_tests(tests, NULL, NULL));
}
