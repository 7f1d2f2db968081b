/* SPDX-License-Identifier: Apache-2.0 */
/* test_session_file.c - files accepted as sessions */
#include "tool/session/find/session_ledgers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fakes/skip.h"

static const struct session_header settings = { .follow = SESSION_FOLLOW_ALL,
                                                .stacks = SESSION_STACKS_ALL };

static struct session_header a_header(void)
{
    struct session_header header = { .version = SESSION_VERSION,
                                     .extent_size = SESSION_EXTENT_SIZE,
                                     .nonce = 7 };

    memcpy(header.magic, SESSION_MAGIC, SESSION_MAGIC_SIZE);
    return header;
}

/* Create a memfd as a process can, and return its path. */
static int make(char path[64], off_t size, int seals)
{
    struct session_header header = a_header();
    int fd = memfd_create("tally", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, &header, sizeof header, 0), sizeof header);
    assert_int_equal(ftruncate(fd, size), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
    snprintf(path, 64, "/proc/%ld/fd/%d", (long)getpid(), fd);
    return fd;
}

/* The owner of another file could truncate it while the command maps it. */
static void only_a_sealed_file_of_a_sessions_size_is_opened(void **state)
{
    static const struct {
        off_t size;
        int seals;
        bool is_taken;
    } rows[] = {
        { (off_t)SESSION_FILE_SIZE, F_SEAL_SHRINK | F_SEAL_GROW, true },
        { (off_t)SESSION_FILE_SIZE, F_SEAL_SHRINK, true },
        { (off_t)SESSION_FILE_SIZE, F_SEAL_GROW, false },
        { (off_t)SESSION_FILE_SIZE, 0, false },
        { sizeof(struct session_header), F_SEAL_SHRINK, false },
        { (off_t)SESSION_FILE_SIZE - 1, F_SEAL_SHRINK, false },
        { (off_t)SESSION_FILE_SIZE + 1, F_SEAL_SHRINK, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct session_header header;
        struct session_failure failure;
        struct session_file session;
        char path[64];
        int made = make(path, rows[i].size, rows[i].seals);
        int fd = session_file_open(path, &header);

        assert_int_equal(fd >= 0, rows[i].is_taken);
        if (fd < 0)
            assert_int_equal(errno, ENOMSG);
        else
            close(fd);
        assert_int_equal(session_file_adopt(&session, path, getuid(), &settings,
                                            &failure) == 0,
                         rows[i].is_taken);
        if (rows[i].is_taken) {
            assert_int_equal(session.header->nonce, 7);
            assert_int_equal(session.header->stacks, SESSION_STACKS_ALL);
            session_file_close(&session);
        }
        close(made);
    }
}

static void write_number(const char *path, long number)
{
    FILE *file = fopen(path, "we");

    if (file == NULL || fprintf(file, "%ld\n", number) < 0 || fclose(file) != 0)
        SKIP("huge pages cannot be added; run it as root");
}

/* It has seals and size, and a page that is missing ends who reads it. The
   machine has a huge page more for a moment. */
static void no_file_of_huge_pages_is_opened(void **state)
{
    static const char setting[] = "/proc/sys/vm/nr_hugepages";
    int fd = memfd_create("tally", MFD_ALLOW_SEALING | MFD_HUGETLB);
    FILE *file = fopen(setting, "re");
    struct session_header header;
    long before = 0, now = 0;
    int opened, error;
    char path[64];
    void *page;

    (void)state;
    if (fd < 0 || file == NULL || fscanf(file, "%ld", &before) != 1)
        SKIP("the kernel has no huge pages; CONFIG_HUGETLBFS");
    write_number(setting, before + 1);
    rewind(file);
    (void)!fscanf(file, "%ld", &now);
    (void)!ftruncate(fd, (off_t)SESSION_FILE_SIZE);
    page = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED)
        *(struct session_header *)page = a_header();
    (void)!fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    errno = 0;
    opened = session_file_open(path, &header);
    error = errno;
    munmap(page, 2 << 20);
    close(fd);
    write_number(setting, before);
    fclose(file);
    if (page == MAP_FAILED || now == before)
        SKIP("no memory for a huge page; free some");
    assert_int_equal(opened, -1);
    assert_int_equal(error, ENOMSG);
}

/* Another process's recording would end. */
static void no_recording_that_has_begun_is_adopted(void **state)
{
    static const struct session_header begun[] = { { .ledger_count = 1 },
                                                   { .attached = 7 } };
    struct session_failure failure;
    struct session_file session;
    char path[64];
    int fd;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        fd = make(path, (off_t)SESSION_FILE_SIZE, F_SEAL_SHRINK);
        (void)!pwrite(fd, &begun[i].ledger_count, 4,
                      offsetof(struct session_header, ledger_count));
        (void)!pwrite(fd, &begun[i].attached, 4,
                      offsetof(struct session_header, attached));
        assert_int_equal(
            session_file_adopt(&session, path, getuid(), &settings, &failure),
            -1);
        close(fd);
    }
    fd = make(path, (off_t)SESSION_FILE_SIZE, F_SEAL_SHRINK);
    assert_int_equal(
        session_file_adopt(&session, path, getuid() + 1, &settings, &failure),
        -1);
    close(fd);
}

/* Opening a pipe would block; opening a device can have effects. */
static void no_other_kind_of_file_is_opened(void **state)
{
    char folder[] = "/tmp/tally-session-XXXXXX", path[64];
    struct session_header header;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(session_file_open(path, &header), -1);
    assert_int_equal(errno, EMEDIUMTYPE);
    unlink(path);
    rmdir(folder);
    assert_int_equal(session_file_open("/dev/zero", &header), -1);
    assert_int_equal(errno, EMEDIUMTYPE);
}

/* Any process can change the header in the file. */
static void its_settings_are_the_commands_own(void **state)
{
    struct session_failure failure;
    struct session_file session;

    (void)state;
    assert_int_equal(session_file_create(&session, &settings, &failure), 0);
    session.header->follow = SESSION_FOLLOW_NONE;
    session.header->stacks = 77;
    assert_int_equal(session.settings.follow, SESSION_FOLLOW_ALL);
    assert_int_equal(session.settings.stacks, SESSION_STACKS_ALL);
    session_file_close(&session);
}

static void a_plan_can_be_read_and_not_written(void **state)
{
    static const char plan[] = "how to patch";
    struct session_failure failure;
    struct session_file session;
    struct session_name name;
    char path[64], read[sizeof plan];
    int fd;

    (void)state;
    assert_int_equal(session_file_create(&session, &settings, &failure), 0);
    assert_int_equal(
        session_file_add_plan(&session, plan, sizeof plan, &failure), 0);
    assert_true(session_name_read(session.environment, &name));
    assert_int_equal(name.fd, session.fd);
    snprintf(path, sizeof path, "/proc/self/fd/%u", name.fd + 1);
    fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, read, sizeof read, 0), sizeof read);
    assert_string_equal(read, plan);
    assert_int_equal(pwrite(fd, "x", 1, 0), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(ftruncate(fd, 0), -1);
    close(fd);
    session_file_replace_plan(&session, "another plan", sizeof plan);
    fd = open(path, O_RDWR);
    assert_int_equal(pread(fd, read, sizeof read, 0), sizeof read);
    assert_string_equal(read, "another plan");
    assert_int_equal(pwrite(fd, "x", 1, 0), -1);
    close(fd);
    session_file_close(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_sealed_file_of_a_sessions_size_is_opened),
        cmocka_unit_test(no_file_of_huge_pages_is_opened),
        cmocka_unit_test(no_recording_that_has_begun_is_adopted),
        cmocka_unit_test(no_other_kind_of_file_is_opened),
        cmocka_unit_test(its_settings_are_the_commands_own),
        cmocka_unit_test(a_plan_can_be_read_and_not_written),
    };

    return skip_status(cmocka_run_group_tests(tests, NULL, NULL));
}
