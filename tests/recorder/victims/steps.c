/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.c - allocate and free as told, a letter a step
 *
 * Each step is answered by a dot. Its letter tells its stack. An argument
 * installs a seccomp filter, which is about the system calls that attaching
 * makes:
 *
 *     listed  allows all of them, kills for any other
 *     needed  fails optional ones, kills for any other
 *     docker  allows them, fails any other
 *     ends    like docker, but memfd_create kills
 *     fails   like docker, but memfd_create fails
 *     thread  like ends, for a second thread only
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"
#include "tool/attach/thread_calls.h"

enum { FIRST = 100, FIRST_SIZE = 1000, SECOND = 50, FREED = 30, MOST = 100000 };

static void *blocks[MOST];
static size_t count;

static void *first(void)
{
    return malloc(FIRST_SIZE);
}

static void *second(void)
{
    return malloc(24);
}

static void *short_lived(void)
{
    return malloc(77);
}

/* Fork a child that allocates again at each SIGUSR1. */
static void fork_one(void)
{
    sigset_t asked;
    int number;

    if (fork() != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&asked);
    sigaddset(&asked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &asked, NULL);
    do {
        victim_keep(second());
        victim_say(":");
    } while (sigwait(&asked, &number) == 0);
    _exit(0);
}

/* Make ten allocations of this size by each function, and free them. */
static void by_each_entry(size_t size)
{
    void *aligned = NULL;

    free(victim_keep(malloc(size)));
    free(victim_keep(calloc(size / 8, 8)));
    free(victim_keep(realloc(victim_keep(realloc(NULL, size)), size)));
    free(victim_keep(reallocarray(NULL, size / 8, 8)));
    REQUIRE(posix_memalign(&aligned, 256, size) == 0);
    free(aligned);
    free(victim_keep(aligned_alloc(64, size)));
    free(victim_keep(memalign(4096, size)));
    free(victim_keep(valloc(size)));
    free(victim_keep(pvalloc(size)));
}

/* Kill the program when it opens a file from now on. */
static void forbid_files(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };

    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* Fork a child that allocates and execs a missing program: no file may be
   opened. */
static void fork_in_the_sandbox(void)
{
    char *const nothing[] = { NULL };
    pid_t child = fork();
    int status;

    if (child == 0) {
        victim_keep(second());
        execve("/proc/self/no such program", nothing, nothing);
        _exit(5);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

#define ADD(...) (filter[length++] = (struct sock_filter)__VA_ARGS__)
#define RULE(number, action)                                   \
    (ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1)), \
     ADD(BPF_STMT(BPF_RET | BPF_K, (uint32_t)(action))))
#define ALLOW(name)  RULE(SYS_##name, SECCOMP_RET_ALLOW);
#define CHOOSE(name) RULE(SYS_##name, optional);

static void install(const char *name)
{
    const uint32_t fails = SECCOMP_RET_ERRNO | EPERM;
    bool is_strict = strcmp(name, "listed") == 0 || strcmp(name, "needed") == 0;
    uint32_t optional =
        strcmp(name, "needed") == 0 ? fails : (uint32_t)SECCOMP_RET_ALLOW;
    struct sock_filter filter[200];
    struct sock_fprog program = { .filter = filter };
    unsigned short length = 0;

    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 offsetof(struct seccomp_data, arch)));
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
    ADD(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    if (strcmp(name, "ends") == 0)
        RULE(SYS_memfd_create, SECCOMP_RET_KILL_PROCESS);
    if (strcmp(name, "fails") == 0)
        RULE(SYS_memfd_create, fails);
    ALLOW(prctl) /* needed by this program from here on */
    ALLOW(write)
    ALLOW(exit_group)
    ALLOW(clone)
    ALLOW(set_robust_list)
    ALLOW(pause)
    SECCOMP_CALLS_NEEDED(ALLOW)
    SECCOMP_CALLS_OPTIONAL(CHOOSE)
    ADD(BPF_STMT(BPF_RET | BPF_K,
                 is_strict ? SECCOMP_RET_KILL_PROCESS : fails));
    program.len = length;
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void *live_in_filter(void *barrier)
{
    install("ends");
    pthread_barrier_wait(barrier);
    pause();
    return barrier;
}

static void begin_thread(void)
{
    static pthread_barrier_t barrier;
    pthread_t thread;

    REQUIRE(pthread_barrier_init(&barrier, NULL, 2) == 0);
    REQUIRE(pthread_create(&thread, NULL, live_in_filter, &barrier) == 0);
    pthread_barrier_wait(&barrier);
}

int main(int argc, char **argv)
{
    char *const sleep[] = { "sleep", "60", NULL };
    char session[256] = "TALLY_SESSION=";
    char *const environment[] = { session, NULL };
    char step;

    if (argc > 1 && strcmp(argv[1], "thread") == 0)
        begin_thread();
    else if (argc > 1)
        install(argv[1]);
    victim_say(".");
    while (read(STDIN_FILENO, &step, 1) == 1 && step != 'e') {
        for (int i = 0; i < FIRST && step == 'a'; i++)
            blocks[count++] = first();
        for (int i = 0; i < SECOND && step == 'b'; i++)
            victim_keep(second());
        for (int i = 0; i < FREED && step == 'f'; i++)
            free(blocks[--count]);
        for (int i = 0; i < FIRST && step == 't'; i++)
            free(victim_keep(short_lived()));
        for (size_t size = 8; size < 1 << 21 && step == 'm'; size *= 8)
            by_each_entry(size);
        if (step == 'c')
            fork_one();
        if (step == 's')
            forbid_files();
        if (step == 'k')
            fork_in_the_sandbox();
        if (step == 'x') { /* bypasses the recorder */
            strncat(session, getenv("TALLY_SESSION"), 200);
            execve("/bin/sleep", sleep, environment);
        }
        victim_say(".");
    }
    return 4;
}
