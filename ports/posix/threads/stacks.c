/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.c - the stacks of all threads, for the profiler
 *
 * The threads are read from /proc/self/task each time; where a stack lies and
 * what its thread is called is kept. A name is read again ever more seldom, for
 * most threads get theirs soon after they begin.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ports/posix/threads/thread_stacks.h"
#include "tally/port.h"

enum {
    FIRST_CAPACITY = 32,
    NAME_CAPACITY = 16,
    NAME_EVERY = 64,
    THOROUGH_EVERY = 8
};

struct thread {
    int tid;        /* 0: the place is free */
    unsigned round; /* when it was last there */
    unsigned age;   /* rounds since it was first */
    bool is_found;  /* its stack is known */
    struct thread_stack stack;
    char name[NAME_CAPACITY];
};

static struct thread *threads; /* pages of the port's */
static size_t capacity, used;
static unsigned round_number;
static int folder = -1;
static pid_t folder_pid;

/* As the kernel lays it out. */
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static bool grow(void)
{
    size_t more = capacity == 0 ? FIRST_CAPACITY : 2 * capacity;
    struct thread *table = tally_port_pages_alloc(more * sizeof *table);

    if (table == NULL)
        return false;
    if (threads != NULL) {
        memcpy(table, threads, used * sizeof *table);
        tally_port_pages_free(threads, capacity * sizeof *threads);
    }
    threads = table;
    capacity = more;
    return true;
}

/* Tids are listed in order mostly, so the last place is a good guess. */
static struct thread *find_or_add(int tid)
{
    static size_t guess;
    size_t place;

    if (++guess < used && threads[guess].tid == tid)
        return &threads[guess];
    for (place = 0; place < used; place++) {
        if (threads[place].tid == tid) {
            guess = place;
            return &threads[place];
        }
    }
    for (place = 0; place < used && threads[place].tid != 0; place++)
        ;
    if (place == capacity && !grow())
        return NULL;
    if (place == used)
        used++;
    threads[place] = (struct thread){ .tid = tid };
    return &threads[place];
}

static void read_name(struct thread *thread)
{
    char path[64];
    ssize_t size;
    int fd;

    snprintf(path, sizeof path, "/proc/self/task/%d/comm", thread->tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    size = read(fd, thread->name, sizeof thread->name);
    close(fd);
    if (size > 0)
        thread->name[size - 1] = '\0';
}

static bool is_time_for_name(unsigned age)
{
    return age % NAME_EVERY == 0 ||
           (age < NAME_EVERY && (age & (age - 1)) == 0);
}

/* False when its stack cannot be found. */
static bool look_at(struct thread *thread, tally_port_stack_fn tell,
                    void *context)
{
    struct tally_port_stack stack;

    thread->round = round_number;
    if (!thread->is_found)
        thread->is_found = thread_stack_find(thread->tid, &thread->stack);
    if (!thread->is_found)
        return false;
    if (is_time_for_name(thread->age))
        read_name(thread);
    thread_stack_update(&thread->stack, thread->age++ % THOROUGH_EVERY == 0);
    stack = (struct tally_port_stack){
        .start = thread->stack.start,
        .size = thread->stack.end - thread->stack.start,
        .most_used = thread->stack.end - thread->stack.lowest,
        .thread = (uint32_t)thread->tid,
        .name = thread->name[0] == '\0' ? NULL : thread->name,
    };
    tell(context, &stack);
    return true;
}

/* Returns how many threads' stacks cannot be found. */
static uint32_t look_at_entries(const char *bytes, long size,
                                tally_port_stack_fn tell, void *context)
{
    uint32_t unseen = 0;

    for (long at = 0; at < size;) {
        const struct entry *entry = (const void *)(bytes + at);
        int tid = atoi(entry->name);
        struct thread *thread = tid > 0 ? find_or_add(tid) : NULL;

        if (tid > 0 && (thread == NULL || !look_at(thread, tell, context)))
            unseen++;
        at += entry->length;
    }
    return unseen;
}

static bool open_folder(void)
{
    pid_t pid = getpid();

    if (folder >= 0 && folder_pid == pid)
        return lseek(folder, 0, SEEK_SET) == 0;
    if (folder >= 0) /* the parent's */
        close(folder);
    used = 0;
    folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    folder_pid = pid;
    return folder >= 0;
}

uint32_t tally_port_each_stack(tally_port_stack_fn tell, void *context)
{
    static _Alignas(8) char bytes[4096];
    uint32_t unseen = 0;
    int saved = errno;
    long size;

    if (!open_folder()) {
        errno = saved;
        return 1; /* the caller's own, at least */
    }
    round_number++;
    while ((size = syscall(SYS_getdents64, folder, bytes, sizeof bytes)) > 0)
        unseen += look_at_entries(bytes, size, tell, context);
    for (size_t i = 0; i < used; i++) {
        if (threads[i].round != round_number)
            threads[i].tid = 0;
    }
    errno = saved;
    return unseen;
}

size_t tally_port_stack_depth(uint32_t thread)
{
    int saved = errno;
    size_t depth = 0;

    for (size_t i = 0; i < used; i++) {
        if (threads[i].tid == (int)thread && threads[i].is_found)
            depth = thread_stack_depth((int)thread, &threads[i].stack);
    }
    errno = saved;
    return depth;
}
