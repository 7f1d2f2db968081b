/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_filter.c - a filter that allows the system calls of malloc, and kills
 * for others
 *
 * prctl or the raw system call installs it. Then 200 MB are allocated from new
 * call sites, and threads that were created before allocate for the first time.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "tests/recorder/victims/victim.h"

enum { THREADS = 4, BLOCKS = 20000 };

#define ALLOW(name)                                        \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(read),
    ALLOW(write),
    ALLOW(exit_group),
    ALLOW(exit),
    ALLOW(rt_sigreturn),
    ALLOW(brk),
    ALLOW(mmap),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(mprotect),
    ALLOW(futex),
    ALLOW(clock_gettime),
    ALLOW(getrandom),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static pthread_barrier_t begin, end;

static void *small(void)
{
    return victim_keep(malloc(1000));
}

static void *large(void)
{
    return victim_keep(calloc(1, 4000000));
}

static void *grown(void *block, size_t size)
{
    return victim_keep(realloc(block, size));
}

static void *in_thread(void)
{
    return victim_keep(malloc(100));
}

static void *run(void *argument)
{
    pthread_barrier_wait(&begin); /* libc has set up the thread by now */
    pthread_barrier_wait(&begin);
    for (int i = 0; i < 1000; i++) {
        void *block = in_thread();

        if (i % 2 == 0)
            free(block);
    }
    pthread_barrier_wait(&end);
    pthread_barrier_wait(&end); /* main ends the program */
    return argument;
}

static void install(const char *how)
{
    struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };

    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (strcmp(how, "prctl") == 0)
        REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    else
        REQUIRE(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    void *growing = NULL;

    REQUIRE(argc == 2);
    mallopt(M_ARENA_MAX, 1); /* another makes libc count the CPUs */
    REQUIRE(pthread_barrier_init(&begin, NULL, THREADS + 1) == 0);
    REQUIRE(pthread_barrier_init(&end, NULL, THREADS + 1) == 0);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, NULL) == 0);
    pthread_barrier_wait(&begin);
    install(argv[1]);
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
    for (int i = 0; i < BLOCKS; i++)
        memset(small(), i, 1000);
    for (int i = 0; i < 40; i++)
        memset(large(), i, 4000000);
    for (size_t size = 1; size <= 100; size++)
        growing = grown(growing, size * 200000);
    free(growing);
    victim_say("done\n");
    _exit(0);
}
