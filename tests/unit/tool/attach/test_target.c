/* SPDX-License-Identifier: Apache-2.0 */
/* test_target.c - processes that cannot be attached to, and the reasons */
#include "tool/attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "tests/fakes/skip.h"
#include "tests/unit/tool/attach/victim.h"

static void expect_refusal(pid_t pid, const char *why)
{
    assert_int_equal(target_check(pid, &failure), -1);
    if (strstr(failure.text, why) == NULL)
        fail_msg("%s, not %s", failure.text, why);
    assert_non_null(strstr(failure.text, ";"));
}

static void live_asleep(void)
{
    shared->is_ready = 1;
    while (!shared->must_end)
        victim_sleep_ms(1);
}

static void a_program_is_accepted(void **state)
{
    pid_t pid = victim_start(live_asleep);

    (void)state;
    if (target_check(pid, &failure) < 0)
        fail_msg("%s", failure.text);
    victim_finish(pid);
}

static void one_that_is_not_there(void **state)
{
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        _exit(0);
    victim_sleep_ms(20);
    expect_refusal(pid, "the process has ended");
    waitpid(pid, NULL, 0);
    expect_refusal(pid, "no such process");
    expect_refusal(-1, "no such process");
    expect_refusal(getpid(), "this is tally itself");
}

static void *sleep_in_thread(void *argument)
{
    shared->result = gettid();
    live_asleep();
    return argument;
}

static void live_in_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, sleep_in_thread, NULL);
    pthread_join(thread, NULL);
}

static void a_thread(void **state)
{
    pid_t pid = victim_start(live_in_thread);

    (void)state;
    expect_refusal((pid_t)shared->result, "this is a thread; attach to");
    victim_finish(pid);
}

static void one_that_is_stopped_or_traced(void **state)
{
    pid_t pid = victim_start(live_asleep);
    int status;

    (void)state;
    kill(pid, SIGSTOP);
    waitpid(pid, &status, WUNTRACED);
    expect_refusal(pid, "the process is stopped; run kill -CONT");
    kill(pid, SIGCONT);
    assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
    expect_refusal(pid, "already traced by process");
    victim_kill(pid);
}

static void one_of_another_user(void **state)
{
    pid_t pid, child;
    int status;

    (void)state;
    if (geteuid() != 0)
        SKIP("only root can be another user; run it as root");
    pid = victim_start(live_asleep);
    child = fork();
    if (child == 0) {
        if (setuid(65534) < 0 || target_check(pid, &failure) == 0)
            _exit(1);
        _exit(strstr(failure.text, "belongs to user 0; use sudo") == NULL);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    expect_refusal(2, "kernel thread");
    victim_finish(pid);
}

static void live_as_another(void)
{
    shared->wrong += setuid(65534) < 0;
    live_asleep();
}

/* In a container root may have no capability: "use sudo" would not help. */
static void root_is_not_told_to_use_sudo(void **state)
{
    struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[2] = { { 0 }, { 0 } };
    static const char advice[] = "; run tally as root outside of this "
                                 "container, with all capabilities";
    void (*const lives[])(void) = { live_asleep, live_as_another };
    const char *const whys[] = { "extra privileges", "belongs to user" };

    (void)state;
    if (geteuid() != 0)
        SKIP("only root has no capabilities as root; run it as root");
    for (size_t i = 0; i < 2; i++) {
        pid_t pid = victim_start(lives[i]), child = fork();
        int status;

        if (child == 0) {
            if (syscall(SYS_capset, &header, none) < 0 ||
                target_check(pid, &failure) == 0)
                _exit(1);
            _exit(strstr(failure.text, whys[i]) == NULL  ? 2
                  : strstr(failure.text, advice) == NULL ? 3
                  : strstr(failure.text, "sudo") != NULL ? 4
                                                         : 0);
        }
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
        victim_finish(pid);
    }
}

static void live_in_namespace(void)
{
    shared->wrong += unshare(CLONE_NEWNS) < 0;
    live_asleep();
}

static void one_with_files_of_its_own_is_accepted(void **state)
{
    pid_t pid;

    (void)state;
    if (geteuid() != 0)
        SKIP("only root can unshare mounts; run it as root");
    pid = victim_start(live_in_namespace);
    if (target_check(pid, &failure) < 0)
        fail_msg("%s", failure.text);
    victim_finish(pid);
}

static void live_without_proc(void)
{
    shared->wrong += chroot("/dev") < 0;
    live_asleep();
}

static void one_without_proc(void **state)
{
    pid_t pid;

    (void)state;
    if (geteuid() != 0)
        SKIP("only root can change its root; run it as root");
    pid = victim_start(live_without_proc);
    expect_refusal(pid, "/proc is not mounted");
    victim_finish(pid);
}

/* Another C library, or none: compiled here. */
static void expect_compiled(const char *compiler, const char *why)
{
    char folder[] = "/tmp/test_target.XXXXXX", command[256], path[64];
    pid_t pid;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sleeper", folder);
    snprintf(command, sizeof command,
             "echo 'int pause(void); int main(void) { pause(); }' |"
             "%s -x c -o %s - 2>&1",
             compiler, path);
    if (system(command) != 0)
        SKIP("no static libc or no musl-gcc; scripts/install-deps test");
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(path, path, (char *)NULL);
        _exit(1);
    }
    victim_sleep_ms(50);
    expect_refusal(pid, why);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    unlink(path);
    rmdir(folder);
}

static void one_with_another_libc(void **state)
{
    (void)state;
    expect_compiled("gcc -static", "statically linked");
    expect_compiled("musl-gcc", "musl");
}

/* Start a program whose loader waits for a preloaded file before libc. */
static pid_t start_held(const char *fifo)
{
    pid_t pid = fork();
    int null;

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO);
        setenv("LD_PRELOAD", fifo, 1);
        execl("/bin/sleep", "sleep", "60", (char *)NULL);
        _exit(1);
    }
    return pid;
}

/* Return the result of target_check() after `befall` changed the program. */
static int check_held(void (*befall)(const char *fifo, pid_t pid))
{
    char folder[] = "/tmp/test_target.XXXXXX", fifo[64];
    pid_t pid, other;
    int result;

    assert_non_null(mkdtemp(folder));
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    pid = start_held(fifo);
    victim_sleep_ms(50);
    other = fork();
    if (other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        victim_sleep_ms(100);
        befall(fifo, pid);
        _exit(0);
    }
    result = target_check(pid, &failure);
    kill(pid, SIGKILL);
    kill(other, SIGKILL);
    waitpid(pid, NULL, 0);
    waitpid(other, NULL, 0);
    unlink(fifo);
    rmdir(folder);
    return result;
}

static void go_on(const char *fifo, pid_t pid)
{
    (void)pid;
    (void)!open(fifo, O_WRONLY);
}

static void one_that_has_just_begun(void **state)
{
    (void)state;
    if (check_held(go_on) < 0)
        fail_msg("%s", failure.text);
}

static void end(const char *fifo, pid_t pid)
{
    (void)fifo;
    kill(pid, SIGKILL);
}

static void one_that_ends_meanwhile(void **state)
{
    (void)state;
    assert_int_equal(check_held(end), -1);
    assert_non_null(strstr(failure.text, "the process has ended; "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_accepted),
        cmocka_unit_test(one_that_is_not_there),
        cmocka_unit_test(a_thread),
        cmocka_unit_test(one_that_is_stopped_or_traced),
        cmocka_unit_test(one_of_another_user),
        cmocka_unit_test(root_is_not_told_to_use_sudo),
        cmocka_unit_test(one_with_files_of_its_own_is_accepted),
        cmocka_unit_test(one_without_proc),
        cmocka_unit_test(one_with_another_libc),
        cmocka_unit_test(one_that_has_just_begun),
        cmocka_unit_test(one_that_ends_meanwhile),
    };

    return skip_status(cmocka_run_group_tests(tests, NULL, NULL));
}
