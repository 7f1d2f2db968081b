/* SPDX-License-Identifier: Apache-2.0 */
/*
 * odd_ends.c - programs that allocate where others could not write a trace
 *
 *     odd_ends WHAT
 *
 * Each makes COUNT blocks of 33 bytes, and for `handler` as many of 34 in
 * signal handlers; `fork` and `exec` once more in the child.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 20000, SIZE = 33, HANDLER_SIZE = 34 };

static void *volatile block;
static volatile int handled;
static sigjmp_buf back;
static volatile sig_atomic_t may_leave;

static void allocate(void)
{
    for (int i = 0; i < COUNT; i++) {
        block = malloc(SIZE);
        free(block);
    }
}

static void handle(int number)
{
    (void)number;
    if (handled < COUNT) {
        handled++;
        free(malloc(HANDLER_SIZE));
    }
}

static void leave(int number)
{
    (void)number;
    if (may_leave)
        siglongjmp(back, 1);
}

static void tick(void (*handler)(int), long us)
{
    struct sigaction action = { .sa_handler = handler };
    struct itimerval often = { { 0, us }, { 0, us } };

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void storm(void)
{
    /* A handler in the midst of libc's very first malloc waits for itself. */
    free(malloc(HANDLER_SIZE + 1));
    tick(handle, 50);
    while (handled < 200)
        allocate();
    tick(SIG_IGN, 0);
    printf("%d\n", handled);
}

/* Handlers that do not return may leave anything behind, but no lost event. */
static void leave_handlers(void)
{
    volatile int left = 0;

    tick(leave, 50);
    if (sigsetjmp(back, 1) != 0)
        left++;
    while (left < 200) {
        may_leave = 1;
        for (int i = 0; i < 100; i++)
            getppid();
        may_leave = 0;
    }
    tick(SIG_IGN, 0);
    allocate();
}

static void close_everything(void)
{
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
}

static void fork_and_wait(void)
{
    pid_t child = fork();

    if (child == 0) {
        free(block); /* it begins with a free */
        allocate();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void exec_again(char **argv)
{
    argv[1] = "plain";
    allocate();
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "plain";

    if (strcmp(what, "closed") == 0)
        close_everything();
    else if (strcmp(what, "rooted") == 0 &&
             (chroot("/proc/self/task") < 0 || chdir("/") < 0)) {
        fputs("SKIPPED: only root can change its root; run it as root\n",
              stderr);
        return 77;
    } else if (strcmp(what, "strict") == 0)
        block = malloc(100000); /* the heap must not grow any more */
    if (strcmp(what, "strict") == 0) {
        free(block);
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        allocate();
        syscall(SYS_exit, 0); /* exit_group() would kill */
    }
    if (strcmp(what, "no_counter") == 0)
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    if (strcmp(what, "handler") == 0)
        storm();
    else if (strcmp(what, "leaving") == 0)
        leave_handlers();
    else if (strcmp(what, "fork") == 0)
        block = malloc(SIZE), fork_and_wait();
    else if (strcmp(what, "exec") == 0)
        exec_again(argv);
    else
        allocate();
    if (strcmp(what, "killed") == 0)
        kill(getpid(), SIGKILL);
    return 0;
}
