/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.c - allocates and frees as it is told, a letter a step
 *
 * Each step is answered by a dot. What its stacks did is known by the letters.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

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

/* It allocates again each time that it gets SIGUSR1. */
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

/* Ten allocations of so much, which are freed. */
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

/* From then on a file that is opened kills. */
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

/* Without a file, what it would run is not there. */
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

int main(void)
{
    char *const sleep[] = { "sleep", "60", NULL };
    char session[256] = "TALLY_SESSION=";
    char *const environment[] = { session, NULL };
    char step;

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
        if (step == 'x') { /* without the recorder */
            strncat(session, getenv("TALLY_SESSION"), 200);
            execve("/bin/sleep", sleep, environment);
        }
        victim_say(".");
    }
    return 4;
}
