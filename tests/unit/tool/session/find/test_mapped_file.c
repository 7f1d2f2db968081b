/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mapped_file.c - a mapped file is opened only if it is the one that is
 * mapped, and if more than its owner may read it
 */
#include "tool/session/find/process_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fakes/skip.h"

enum { UNPRIVILEGED = 65534 };

static char folder[] = "/tmp/tally-mapped-XXXXXX";
static pid_t victim;
static struct smaps_entry mapping; /* the victim's, of the file */

static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
    int fd = open(path_of(name), O_RDWR | O_CREAT | O_TRUNC, 0600);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

/* A process of `user` that has the file mapped. */
static void start_victim(const char *name, uid_t user)
{
    int fd = open(path_of(name), O_RDONLY);
    struct smaps maps = { .file = NULL };
    char ready[1];
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    victim = fork();
    if (victim == 0) {
        if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED ||
            setresuid(user, user, user) != 0 ||
            prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
            _exit(1);
        (void)!write(ends[1], "r", 1);
        pause();
    }
    assert_int_equal(read(ends[0], ready, 1), 1);
    close(ends[0]);
    close(ends[1]);
    close(fd);
    maps.file = process_file(victim, "maps");
    do
        assert_true(smaps_next(&maps, &mapping));
    while (strstr(mapping.path, folder) == NULL);
    smaps_end(&maps);
}

static void end_victim(void)
{
    kill(victim, SIGKILL);
    waitpid(victim, NULL, 0);
}

/* Set whether we may open what the kernel has in map_files. */
static void set_privilege(bool is_on)
{
    struct __user_cap_header_struct header = {
        .version = _LINUX_CAPABILITY_VERSION_3
    };
    struct __user_cap_data_struct data[2];
    unsigned admin = 1u << CAP_SYS_ADMIN;
    unsigned restore = 1u << (CAP_CHECKPOINT_RESTORE - 32);

    assert_int_equal(syscall(SYS_capget, &header, data), 0);
    data[0].effective = is_on ? data[0].permitted : data[0].effective & ~admin;
    data[1].effective =
        is_on ? data[1].permitted : data[1].effective & ~restore;
    assert_int_equal(syscall(SYS_capset, &header, data), 0);
}

/* Return what is read of the victim's mapped file without privilege, or "". */
static const char *read_mapped(void)
{
    static char text[16];
    int fd;

    memset(text, 0, sizeof text);
    set_privilege(false);
    fd = process_mapped_open(victim, &mapping);
    set_privilege(true);
    if (fd >= 0) {
        assert_true(pread(fd, text, sizeof text - 1, 0) >= 0);
        close(fd);
    }
    return text;
}

static void the_file_that_is_mapped_is_opened(void **state)
{
    (void)state;
    write_file("file", "mapped", 0644);
    start_victim("file", getuid());
    assert_string_equal(read_mapped(), "mapped");
    end_victim();
}

static void another_by_its_name_is_not_opened(void **state)
{
    (void)state;
    write_file("file", "mapped", 0644);
    start_victim("file", getuid());
    write_file("other", "other", 0644);
    assert_int_equal(unlink(path_of("file")), 0);
    assert_string_equal(read_mapped(), "");
    write_file("file", "other", 0644);
    assert_string_equal(read_mapped(), "");
    unlink(path_of("file"));
    assert_int_equal(symlink("other", path_of("file")), 0);
    assert_string_equal(read_mapped(), "");
    unlink(path_of("file"));
    assert_int_equal(mkfifo(path_of("file"), 0644), 0);
    assert_string_equal(read_mapped(), "");
    unlink(path_of("file"));
    end_victim();
}

/* Another one of the same number, in another file system. */
static void a_number_alone_names_no_file(void **state)
{
    char from[128];
    struct stat mapped, other;

    (void)state;
    if (geteuid() != 0)
        SKIP("only root may mount; run it as root");
    assert_int_equal(unshare(CLONE_NEWNS), 0);
    assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    assert_int_equal(mkdir(path_of("one"), 0755), 0);
    assert_int_equal(mount("tmpfs", path_of("one"), "tmpfs", 0, NULL), 0);
    write_file("one/file", "mapped", 0644);
    assert_int_equal(stat(path_of("one/file"), &mapped), 0);
    start_victim("one/file", getuid());
    assert_string_equal(read_mapped(), "mapped");

    assert_int_equal(mkdir(path_of("two"), 0755), 0);
    assert_int_equal(mount("tmpfs", path_of("two"), "tmpfs", 0, NULL), 0);
    write_file("two/file", "other", 0644);
    strcpy(from, path_of("two"));
    assert_int_equal(mount(from, path_of("one"), NULL, MS_MOVE, NULL), 0);
    assert_int_equal(stat(path_of("one/file"), &other), 0);
    assert_int_equal(other.st_ino, mapped.st_ino);
    assert_string_equal(read_mapped(), "");
    end_victim();
    umount2(path_of("one"), MNT_DETACH);
    umount2(path_of("one"), MNT_DETACH);
    rmdir(path_of("one"));
    rmdir(path_of("two"));
}

/* The process could have been handed the descriptor. */
static void a_file_of_its_owner_alone_is_not_opened(void **state)
{
    (void)state;
    if (geteuid() != 0)
        SKIP("only root may give a process to another user; run it as root");
    write_file("file", "secret", 0600);
    start_victim("file", UNPRIVILEGED);
    assert_string_equal(read_mapped(), "");
    assert_int_equal(chmod(path_of("file"), 0640), 0);
    assert_string_equal(read_mapped(), "");
    assert_int_equal(chmod(path_of("file"), 0604), 0);
    assert_string_equal(read_mapped(), "secret");
    assert_int_equal(chmod(path_of("file"), 0400), 0);
    assert_int_equal(chown(path_of("file"), UNPRIVILEGED, UNPRIVILEGED), 0);
    assert_string_equal(read_mapped(), "secret");
    end_victim();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_that_is_mapped_is_opened),
        cmocka_unit_test(another_by_its_name_is_not_opened),
        cmocka_unit_test(a_file_of_its_owner_alone_is_not_opened),
        cmocka_unit_test(a_number_alone_names_no_file),
    };
    int failed;

    if (mkdtemp(folder) == NULL || chmod(folder, 0755) != 0)
        return 1;
    failed = skip_status(cmocka_run_group_tests(tests, NULL, NULL));
    unlink(path_of("file"));
    unlink(path_of("other"));
    rmdir(folder);
    return failed;
}
