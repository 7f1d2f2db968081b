/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_nth.c - preloaded: make one request for memory fail in each process
 *
 * Requests are counted from this library's initialization, those of all
 * libraries included. The FAIL_NTH-th fails. If FAIL_REPORT is set, the number
 * of requests is written to that descriptor at the end.
 *
 * With FAIL_EACH, which is FIRST:STEP, no request of the process itself fails.
 * At request FIRST, and at every STEP-th after it, the process forks a child,
 * in which that request fails. The child's standard output and error go to
 * files, and FAIL_REPORT gets a line for each child:
 *
 *     N STATUS SAME ERRORS
 *
 * STATUS is that of wait(). SAME is 1 if the child wrote the rest of the file
 * FAIL_WHOLE, which holds the output of a run without failures. ERRORS is the
 * child's standard error in hexadecimal digits, or "-". One run thus replaces
 * many: nothing that precedes a failure is done again. The command must have
 * one thread, and a file as its standard output.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, FILES = 64, ERRORS_SHOWN = 1000 };

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static unsigned long nth, count;
static unsigned long next_point, step; /* 0: no more failures */
static int report = -1, out = -1, errors = -1;
static const char *whole;
static size_t whole_size;
static bool is_ready;

static void fail(const char *what)
{
    dprintf(STDERR_FILENO, "fail_nth: %s: %s\n", what, strerror(errno));
    _exit(99);
}

/* Return true if the child wrote the same as the whole file has from `before`
   on. */
static bool is_same(off_t before)
{
    struct stat found;
    const char *bytes;
    bool same;

    if (fstat(out, &found) != 0 ||
        (size_t)before + (size_t)found.st_size != whole_size)
        return false;
    if (found.st_size == 0)
        return true;
    bytes = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, out, 0);
    if (bytes == MAP_FAILED)
        fail("mmap");
    same = memcmp(bytes, whole + before, (size_t)found.st_size) == 0;
    munmap((void *)bytes, (size_t)found.st_size);
    return same;
}

static void tell(int status, bool same)
{
    unsigned char said[ERRORS_SHOWN];
    char line[2 * ERRORS_SHOWN + 100];
    ssize_t length = pread(errors, said, sizeof said, 0);
    int at = snprintf(line, sizeof line, "%lu %d %d %s", count, status, same,
                      length > 0 ? "" : "-");

    for (ssize_t i = 0; i < length; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, "%02x", said[i]);
    line[at++] = '\n';
    if (write(report, line, (size_t)at) != at)
        fail("FAIL_REPORT");
}

static void empty(int file)
{
    if (ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0)
        fail("ftruncate");
}

/* Parent and child share the offsets of open files: undo the child's reads. */
static void note_offsets(off_t *offsets)
{
    for (int i = 0; i < FILES; i++)
        offsets[i] = lseek(i, 0, SEEK_CUR);
}

static void restore_offsets(const off_t *offsets)
{
    for (int i = 0; i < FILES; i++) {
        if (offsets[i] >= 0 && i != report)
            lseek(i, offsets[i], SEEK_SET);
    }
}

/* Fork; return true in the child, in which this request fails. */
static bool fork_here(void)
{
    off_t offsets[FILES], before = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    int status;
    pid_t child;

    empty(out);
    empty(errors);
    note_offsets(offsets);
    child = _Fork();
    if (child == 0) {
        alarm(SECONDS);
        if (dup2(out, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
            _exit(99);
        return true;
    }
    if (child < 0 || before < 0 || waitpid(child, &status, 0) != child)
        fail("fork");
    restore_offsets(offsets);
    tell(status, is_same(before));
    return false;
}

static bool is_failing(void)
{
    int saved = errno;

    if (!is_ready)
        return false;
    count++;
    if (count == next_point) {
        next_point += step;
        if (fork_here()) {
            next_point = 0;
            report = -1;
            nth = count;
        }
        errno = saved;
    }
    if (count != nth)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return is_failing() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return is_failing() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *block, size_t size)
{
    return is_failing() ? NULL : __libc_realloc(block, size);
}

static void open_whole(const char *path)
{
    struct stat found;
    int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0 || fstat(file, &found) != 0)
        fail(path);
    whole_size = (size_t)found.st_size;
    whole = mmap(NULL, whole_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (whole == MAP_FAILED)
        fail(path);
    close(file);
}

static void begin_each(const char *text)
{
    if (sscanf(text, "%lu:%lu", &next_point, &step) != 2)
        fail("FAIL_EACH");
    open_whole(getenv("FAIL_WHOLE"));
    out = memfd_create("out", MFD_CLOEXEC);
    errors = memfd_create("errors", MFD_CLOEXEC);
    if (out < 0 || errors < 0)
        fail("memfd_create");
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("FAIL_NTH");
    const char *each = getenv("FAIL_EACH");
    const char *descriptor = getenv("FAIL_REPORT");

    nth = text == NULL ? 0 : strtoul(text, NULL, 10);
    report = descriptor == NULL ? -1 : atoi(descriptor);
    if (each != NULL)
        begin_each(each);
    is_ready = true;
}

__attribute__((destructor)) static void end(void)
{
    if (report >= 0 && step == 0)
        dprintf(report, "%lu\n", count);
}
