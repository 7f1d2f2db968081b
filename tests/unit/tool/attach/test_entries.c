/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_entries.c - files that a program maps are read, never mapped, and one
 * that may be its allocator must be readable
 */
#include "tool/attach/attach.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "tests/unit/tool/attach/victim.h"
#include "tool/attach/thread_calls.h"
#include "tool/symbols/lookup.h"

static void live_asleep(void)
{
    shared->is_ready = 1;
    while (!shared->must_end)
        victim_sleep_ms(1);
}

#if !IS_SANITIZED /* which has an mmap of its own */

static bool is_watched;
static char mapped[PATH_MAX]; /* file that was mapped for reading, or "" */

/* Map as libc does. A program can truncate its files, and SIGBUS ends a reader
   then. Files below /usr/lib/debug are root's. */
__attribute__((visibility("default"))) void *
mmap64(void *address, size_t size, int access, int flags, int fd, off_t offset)
{
    char path[PATH_MAX] = "", link[64];

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (is_watched && fd >= 0 && access != PROT_NONE &&
        readlink(link, path, sizeof path - 1) > 0 &&
        strncmp(path, "/usr/lib/debug/", 15) != 0)
        strcpy(mapped, path);
    return (void *)syscall(SYS_mmap, address, size, access, flags, fd, offset);
}

__attribute__((visibility("default"))) void *
mmap(void *address, size_t size, int access, int flags, int fd, off_t offset)
{
    return mmap64(address, size, access, flags, fd, offset);
}

static void files_are_read_and_not_mapped(void **state)
{
    static struct patch_plan plan;
    static struct jump_list jumps;
    char why[SAFE_PLACE_WHY_SIZE];
    struct elf_identity identity;
    struct object_names *names;
    struct safe_place *place;
    struct tracee tracee;
    const char *error;
    pid_t pid;

    (void)state;
    pid = victim_start(live_asleep);
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    is_watched = true;
    if (entries_plan(pid, NULL, &plan, &failure) < 0)
        fail_msg("%s", failure.text);
    assert_int_not_equal(entries_find(pid, "libc.so", "dlopen"), 0);
    assert_true(jumps_find(&tracee, &jumps));
    place = safe_place_open(&tracee);
    if (place == NULL)
        fail_msg("%s", failure.text);
    assert_non_null(tracee_stop_one(&tracee, pid, TRACEE_STOP_MS));
    (void)safe_place_look(place, pid, why);
    tracee_release(&tracee);
    safe_place_close(place);
    assert_int_equal(elf_identity_read("/proc/self/exe", &identity, &error), 0);
    names = object_names_open("/proc/self/exe", &error);
    assert_non_null(names);
    object_names_close(names);
    is_watched = false;
    tracee_close(&tracee);
    victim_finish(pid);
    assert_string_equal(mapped, "");
}

#endif

static char library[64]; /* that the victim has mapped */

static void live_with_a_file(void)
{
    int fd = open(library, O_RDWR | O_CREAT, 0644);

    shared->wrong +=
        write(fd, "no code", 7) != 7 ||
        mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED;
    live_asleep();
}

/* The program may call it, and it would stay unrecorded. */
static void an_unreadable_allocator_ends_the_plan(void **state)
{
    static const struct {
        const char *name, *why;
    } rows[] = {
        { "libmymalloc.so", "libmymalloc.so was replaced or cannot be read" },
        { "libother.so", NULL },
    };
    static struct patch_plan plan;

    (void)state;
    if (IS_SANITIZED) /* its free begins with a call, which ends the plan */
        return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int result;
        pid_t pid;

        snprintf(library, sizeof library, "/tmp/%d-%s", (int)getpid(),
                 rows[i].name);
        pid = victim_start(live_with_a_file);
        failure.text[0] = '\0';
        result = entries_plan(pid, NULL, &plan, &failure);
        victim_finish(pid);
        unlink(library);
        assert_int_equal(result, rows[i].why == NULL ? 0 : -1);
        if (rows[i].why != NULL && strstr(failure.text, rows[i].why) == NULL)
            fail_msg("%s", failure.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if !IS_SANITIZED
        cmocka_unit_test(files_are_read_and_not_mapped),
#endif
        cmocka_unit_test(an_unreadable_allocator_ends_the_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
