/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_seccomp.c - effects of a filter on a call: programs built by hand, and
 * processes under a filter
 */
#include "tool/attach/thread_calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "tests/fakes/skip.h"
#include "tests/unit/tool/attach/victim.h"

#define LOAD(field) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##action)
#define FAIL           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define IF(operation, k, yes, no) \
    BPF_JUMP(BPF_JMP | BPF_##operation | BPF_K, (k), (yes), (no))
#define SET(operation, k) BPF_STMT(BPF_ALU | BPF_##operation | BPF_K, (k))

/* Expect this verdict at mmap. */
#define EXPECT(verdict, ...)                                             \
    do {                                                                 \
        const struct sock_filter code[] = { __VA_ARGS__ };               \
        assert_int_equal(                                                \
            seccomp_judge(code, sizeof code / sizeof code[0], SYS_mmap), \
            (verdict));                                                  \
    } while (0)

static void actions(void **state)
{
    (void)state;
    EXPECT(SECCOMP_ALLOWS, RETURN(ALLOW));
    EXPECT(SECCOMP_ALLOWS, RETURN(LOG));
    EXPECT(SECCOMP_FAILS, FAIL);
    EXPECT(SECCOMP_ENDS, RETURN(ERRNO)); /* 0: it seems to succeed */
    EXPECT(SECCOMP_ENDS, RETURN(KILL_PROCESS));
    EXPECT(SECCOMP_ENDS, RETURN(KILL_THREAD));
    EXPECT(SECCOMP_ENDS, RETURN(TRAP));
    EXPECT(SECCOMP_ENDS, RETURN(TRACE));
    EXPECT(SECCOMP_ENDS, RETURN(USER_NOTIF));
    EXPECT(SECCOMP_ALLOWS, BPF_STMT(BPF_LD | BPF_IMM, SECCOMP_RET_ALLOW),
           BPF_STMT(BPF_RET | BPF_A, 0));
    EXPECT(SECCOMP_ENDS, LOAD(args[0]), BPF_STMT(BPF_RET | BPF_A, 0));
}

static void calls_and_machines(void **state)
{
    (void)state;
    EXPECT(SECCOMP_ALLOWS, LOAD(nr), IF(JEQ, SYS_mmap, 0, 1), RETURN(ALLOW),
           RETURN(KILL));
    EXPECT(SECCOMP_ENDS, LOAD(nr), IF(JEQ, SYS_munmap, 0, 1), RETURN(ALLOW),
           RETURN(KILL));
    EXPECT(SECCOMP_ALLOWS, LOAD(arch), IF(JEQ, AUDIT_ARCH_X86_64, 1, 0),
           RETURN(KILL), LOAD(nr), IF(JGE, 0x40000000, 0, 1), RETURN(KILL),
           RETURN(ALLOW));
    EXPECT(SECCOMP_ENDS, LOAD(arch), IF(JEQ, AUDIT_ARCH_I386, 1, 0),
           RETURN(KILL), RETURN(ALLOW));
}

/* A profile like Docker's as built by libseccomp: a tree of numbers, EPERM by
   default, and calls that depend on arguments. */
static void a_profile_of_containers(void **state)
{
    static const struct sock_filter code[] = {
        LOAD(arch),
        IF(JEQ, AUDIT_ARCH_X86_64, 0, 17),
        LOAD(nr),
        IF(JGE, 0x40000000, 0, 1),
        IF(JEQ, 0xffffffff, 0, 14),
        IF(JGT, SYS_personality, 5, 0),
        IF(JEQ, SYS_clone, 6, 0),
        IF(JEQ, SYS_personality, 0, 10),
        LOAD(args[0]),
        IF(JEQ, 0, 9, 0),
        IF(JEQ, 8, 8, 9),
        IF(JEQ, SYS_unshare, 8, 0),
        IF(JEQ, SYS_memfd_create, 6, 7),
        LOAD(args[0]),
        SET(AND, 0x7e020000),
        IF(JEQ, 0, 3, 4),
        RETURN(KILL),
        RETURN(KILL),
        RETURN(ALLOW),
        RETURN(ALLOW),
        FAIL,
    };
    const size_t count = sizeof code / sizeof code[0];

    (void)state;
    assert_int_equal(seccomp_judge(code, count, SYS_mmap), SECCOMP_ALLOWS);
    assert_int_equal(seccomp_judge(code, count, SYS_memfd_create),
                     SECCOMP_ALLOWS);
    assert_int_equal(seccomp_judge(code, count, SYS_personality),
                     SECCOMP_FAILS);
    assert_int_equal(seccomp_judge(code, count, SYS_clone), SECCOMP_FAILS);
    assert_int_equal(seccomp_judge(code, count, SYS_unshare), SECCOMP_FAILS);
    assert_int_equal(seccomp_judge(code, count, SYS_setns), SECCOMP_FAILS);
}

static void what_is_not_known_is_its_worst(void **state)
{
    (void)state;
    EXPECT(SECCOMP_ENDS, LOAD(args[2]), IF(JEQ, 7, 0, 1), RETURN(KILL),
           RETURN(ALLOW));
    EXPECT(SECCOMP_FAILS, LOAD(args[2]), IF(JSET, 4, 0, 1), FAIL,
           RETURN(ALLOW));
    EXPECT(SECCOMP_ENDS, LOAD(instruction_pointer), IF(JGT, 7, 1, 0),
           RETURN(KILL), RETURN(ALLOW));
    /* Two paths join, with different values. */
    EXPECT(SECCOMP_ENDS, LOAD(args[0]), IF(JEQ, 1, 0, 2),
           BPF_STMT(BPF_LD | BPF_IMM, 5), IF(JA, 1, 0, 0),
           BPF_STMT(BPF_LD | BPF_IMM, 6), IF(JEQ, 6, 0, 1), RETURN(KILL),
           RETURN(ALLOW));
    /* Two paths join, with the same value. */
    EXPECT(SECCOMP_ALLOWS, LOAD(args[0]), IF(JEQ, 1, 0, 2),
           BPF_STMT(BPF_LD | BPF_IMM, 5), IF(JA, 1, 0, 0),
           BPF_STMT(BPF_LD | BPF_IMM, 5), IF(JEQ, 6, 0, 1), RETURN(KILL),
           RETURN(ALLOW));
    EXPECT(SECCOMP_ENDS, LOAD(args[0]), BPF_STMT(BPF_MISC | BPF_TAX, 0),
           BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0), RETURN(ALLOW));
}

static void what_is_computed_is_not_known(void **state)
{
    (void)state;
    EXPECT(SECCOMP_ENDS, LOAD(nr), SET(ADD, 6), IF(JEQ, SYS_mmap + 6, 0, 1),
           RETURN(ALLOW), RETURN(KILL));
    EXPECT(SECCOMP_ALLOWS, LOAD(nr), BPF_STMT(BPF_ST, 3),
           BPF_STMT(BPF_LDX | BPF_IMM, 0), BPF_STMT(BPF_STX, 15),
           BPF_STMT(BPF_MISC | BPF_TAX, 0), IF(JEQ, SYS_mmap, 0, 1),
           RETURN(ALLOW), RETURN(KILL));
    EXPECT(SECCOMP_ENDS, LOAD(nr), BPF_STMT(BPF_MISC | BPF_TXA, 0),
           IF(JEQ, SYS_mmap, 0, 1), RETURN(ALLOW), RETURN(KILL));
    EXPECT(SECCOMP_ENDS, BPF_STMT(BPF_LD | BPF_MEM, SYS_mmap),
           IF(JEQ, SYS_mmap, 0, 1), RETURN(ALLOW), RETURN(KILL));
    EXPECT(SECCOMP_ENDS, LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_X, 0, 0, 1),
           RETURN(ALLOW), RETURN(KILL));
}

static void what_leads_nowhere_ends_it(void **state)
{
    static struct sock_filter many[BPF_MAXINSNS];

    (void)state;
    EXPECT(SECCOMP_ENDS, LOAD(nr));
    EXPECT(SECCOMP_ENDS, IF(JA, UINT32_MAX, 0, 0), RETURN(ALLOW));
    assert_int_equal(seccomp_judge(many, 0, SYS_mmap), SECCOMP_ENDS);
    /* The maximum of paths, each instruction once. */
    for (size_t i = 0; i < BPF_MAXINSNS; i++)
        many[i] = i % 2 == 0 ? (struct sock_filter)LOAD(args[1])
                             : (struct sock_filter)IF(JEQ, 1, 0, 1);
    many[BPF_MAXINSNS - 2] = many[BPF_MAXINSNS - 1] =
        (struct sock_filter)RETURN(ALLOW);
    assert_int_equal(seccomp_judge(many, BPF_MAXINSNS, SYS_mmap),
                     SECCOMP_ALLOWS);
}

static struct sock_filter lived_in[] = {
    LOAD(nr),
    IF(JEQ, SYS_restart_syscall, 0, 1),
    RETURN(KILL),
    RETURN(ALLOW),
};

static void install(void)
{
    struct sock_fprog program = { 4, lived_in };

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    shared->wrong += prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0;
}

static void *sleep_in_filter(void *unused)
{
    install();
    shared->is_ready = 1;
    while (!shared->must_end)
        victim_sleep_ms(100);
    return unused;
}

static void live_with_a_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, sleep_in_filter, NULL);
    pthread_join(thread, NULL);
}

static void live_strictly(void)
{
    shared->is_ready = 1;
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    for (;;)
        ;
}

static int check(pid_t pid)
{
    struct tracee tracee;
    int result;

    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    result = seccomp_check(&tracee);
    tracee_close(&tracee);
    return result;
}

/* Also if the observed thread must not continue its sleep. */
static void a_thread_with_a_filter(void **state)
{
    pid_t pid;

    (void)state;
    if (geteuid() != 0)
        SKIP("only root may read filters; run it as root");
    pid = victim_start(live_with_a_thread);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(check(pid), -1);
        assert_non_null(strstr(failure.text, "kill it for restart_syscall"));
        victim_sleep_ms(7);
    }
    victim_finish(pid);
    lived_in[2] = lived_in[3];
    pid = victim_start(live_with_a_thread);
    assert_int_equal(check(pid), 0);
    victim_finish(pid);
}

static void one_without_a_right_to_look(void **state)
{
    struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct rights[2];
    pid_t pid, child;
    int status;

    (void)state;
    pid = victim_start(live_with_a_thread);
    child = fork();
    if (child == 0) {
        syscall(SYS_capget, &header, rights);
        rights[0].effective &= ~(1u << CAP_SYS_ADMIN);
        syscall(SYS_capset, &header, rights);
        _exit(check(pid) == 0 ||
              strstr(failure.text, geteuid() == 0 ? "; run tally as root"
                                                  : "; use sudo") == NULL);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    victim_finish(pid);
}

static void a_strict_one(void **state)
{
    pid_t pid = victim_start(live_strictly);

    (void)state;
    victim_sleep_ms(20);
    assert_int_equal(check(pid), -1);
    assert_non_null(strstr(failure.text, "strict"));
    victim_kill(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions),
        cmocka_unit_test(calls_and_machines),
        cmocka_unit_test(a_profile_of_containers),
        cmocka_unit_test(what_is_not_known_is_its_worst),
        cmocka_unit_test(what_is_computed_is_not_known),
        cmocka_unit_test(what_leads_nowhere_ends_it),
        cmocka_unit_test(one_without_a_right_to_look),
        cmocka_unit_test(a_thread_with_a_filter),
        cmocka_unit_test(a_strict_one),
    };

    return skip_status(cmocka_run_group_tests(tests, NULL, NULL));
}
