/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_refused.c - filters that are refused, and a child after that */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

static void *before(void)
{
    return victim_keep(malloc(10));
}

static void *in_child(void)
{
    return victim_keep(malloc(50));
}

int main(void)
{
    uint32_t action = SECCOMP_RET_ALLOW;
    int status;
    pid_t child;

    before();
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    errno = 0;
    REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1);
    REQUIRE(errno == EFAULT);
    errno = 0;
    REQUIRE(syscall(SYS_prctl, PR_SET_SECCOMP, 1234, NULL) == -1);
    REQUIRE(errno == EINVAL);
    errno = 0;
    REQUIRE(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1);
    REQUIRE(errno == EFAULT);
    REQUIRE(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0);
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        in_child();
        _exit(3);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    return 0;
}
