/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.c - find the stacks of all threads, for the profiler
 *
 * Threads are listed from /proc/self/task each time; bounds of stacks and names
 * of threads are cached. A name is read again at growing intervals, since most
 * threads set theirs soon after they start.
 *
 * The kernel only knows the stack of the first thread. But it knows the address
 * of each thread's list of robust mutexes, which C libraries keep in the
 * thread's descriptor, at the top of its stack. The mapping that contains the
 * address is the stack; its end is at a distance from the address that is the
 * same in all threads. The guard below it is a separate mapping.
 *
 * The lowest present page shows the highest use of a stack, since the kernel
 * allocates a page at its first access; huge pages limit the resolution. Stacks
 * are used from the top down without large gaps, so it suffices to check just
 * below the known use, and all of the stack from time to time.
 *
 * This file is long because it combines five of the kernel's files on threads
 * and stacks.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ports/posix/memory/heaps.h"
#include "ports/posix/raw_calls.h"
#include "tally/port.h"

struct thread_stack {
    uintptr_t start, end;
    uintptr_t lowest; /* lowest address found in use; end: none yet */
};

enum {
    PAGE = 4096,
    BATCH = 2048, /* pages per query */
    WINDOW = 64,  /* ... if few are expected */
};

/* Distance from the robust list to the end of the stack, in all threads but the
   first. */
static size_t distance_to_end;
static pthread_once_t distance_once = PTHREAD_ONCE_INIT;

static uintptr_t robust_list_of(int tid)
{
    void *head = NULL;
    size_t size;

    if (syscall(SYS_get_robust_list, tid, &head, &size) != 0)
        return 0;
    return (uintptr_t)head;
}

static void *measure(void *unused)
{
    uintptr_t head = robust_list_of((int)syscall(SYS_gettid));
    pthread_attr_t attributes;
    void *start;
    size_t size;

    (void)unused;
    if (head == 0 || pthread_getattr_np(pthread_self(), &attributes) != 0)
        return NULL;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0 &&
        head - (uintptr_t)start < size)
        distance_to_end = (uintptr_t)start + size - head;
    pthread_attr_destroy(&attributes);
    return NULL;
}

/* Measured in a new thread, since the caller may be the first one. */
static void measure_distance(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, measure, NULL) == 0)
        pthread_join(thread, NULL);
}

struct mapping {
    uintptr_t start, end;
};

/* Find the mapping that contains `address`, in /proc/self/maps. */
static bool find_mapping(uintptr_t address, struct mapping *mapping)
{
    char bytes[4096];
    unsigned long start = 0, end = 0;
    size_t filled = 0;
    ssize_t size;
    bool is_found = false;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    while (!is_found &&
           (size = read(fd, bytes + filled, sizeof bytes - 1 - filled)) > 0) {
        char *line = bytes, *newline;

        filled += (size_t)size;
        bytes[filled] = '\0';
        for (; (newline = strchr(line, '\n')) != NULL && !is_found;
             line = newline + 1)
            is_found = sscanf(line, "%lx-%lx", &start, &end) == 2 &&
                       address - start < end - start;
        filled -= (size_t)(line - bytes);
        memmove(bytes, line, filled);
        if (filled == sizeof bytes - 1) /* no line is that long */
            break;
    }
    close(fd);
    *mapping = (struct mapping){ start, end };
    return is_found;
}

/* The first thread's stack grows on demand, down to the limit. */
static bool find_first(struct thread_stack *stack)
{
    struct rlimit limit;
    struct mapping mapping;

    if (&__libc_stack_end == NULL ||
        !find_mapping((uintptr_t)__libc_stack_end, &mapping))
        return false;
    stack->end = mapping.end;
    stack->start = mapping.start;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur > mapping.end - mapping.start &&
        limit.rlim_cur < mapping.end)
        stack->start = mapping.end - limit.rlim_cur / PAGE * PAGE;
    stack->lowest = stack->end;
    return true;
}

/* Find the stack of the thread `tid` of this process. Return false if it is
   unknown: the thread is ending, or its C library has no robust list there. */
static bool find_stack(int tid, struct thread_stack *stack)
{
    uintptr_t head;
    struct mapping mapping;

    if (tid == getpid())
        return find_first(stack);
    pthread_once(&distance_once, measure_distance);
    head = robust_list_of(tid);
    if (head == 0 || distance_to_end == 0 || !find_mapping(head, &mapping))
        return false;
    *stack = (struct thread_stack){ mapping.start, mapping.end, mapping.end };
    if (head + distance_to_end < mapping.end)
        stack->end = stack->lowest = head + distance_to_end;
    return true;
}

static bool is_mapped(uintptr_t page)
{
    unsigned char there;

    return mincore((void *)page, PAGE, &there) == 0;
}

/* Return the start of the mapped, upper part of the stack. */
static uintptr_t lowest_mapped(const struct thread_stack *stack)
{
    uintptr_t low = stack->start, high = stack->lowest;

    if (low >= high || is_mapped(low))
        return low;
    while (high - low > PAGE) {
        uintptr_t middle = low + (high - low) / 2 / PAGE * PAGE;

        if (is_mapped(middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Return true if any page just below the known use is in use. */
static bool is_used_below(const struct thread_stack *stack)
{
    unsigned char there[WINDOW];
    size_t pages = (stack->lowest - stack->start) / PAGE;

    if (pages > WINDOW)
        pages = WINDOW;
    while (pages > 0 && mincore((void *)(stack->lowest - pages * PAGE),
                                pages * PAGE, there) != 0)
        pages /= 2; /* the first thread's stack is mapped as far as it was
                       used */
    for (size_t i = 0; i < pages; i++) {
        if (there[i] & 1)
            return true;
    }
    return false;
}

static void find_lowest(struct thread_stack *stack)
{
    static unsigned char there[BATCH];
    uintptr_t page = lowest_mapped(stack);

    while (page < stack->lowest) {
        size_t pages = (stack->lowest - page + PAGE - 1) / PAGE;

        if (pages > BATCH)
            pages = BATCH;
        if (mincore((void *)page, pages * PAGE, there) != 0)
            return; /* the stack is gone */
        for (size_t i = 0; i < pages; i++) {
            if (there[i] & 1) {
                stack->lowest = page + i * PAGE;
                return;
            }
        }
        page += pages * PAGE;
    }
}

/* Return the bytes between its stack pointer and its end, or 0 while it
   runs. */
static size_t depth_of(int tid, const struct thread_stack *stack)
{
    char path[64], text[256];
    unsigned long pointer = 0;
    const char *field;
    long size;

    if (tid == (int)syscall(SYS_gettid))
        return stack->end - (uintptr_t)__builtin_frame_address(0);
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
    size = raw_read_file(path, text, sizeof text - 1);
    if (size <= 0)
        return 0;
    /* "NR ARGUMENTS SP PC", "-1 SP PC", or "running". */
    text[size] = '\0';
    field = strrchr(text, ' ');
    while (field != NULL && field > text && field[-1] != ' ')
        field--;
    if (field != NULL)
        pointer = strtoul(field, NULL, 0);
    return pointer - stack->start < stack->end - stack->start
               ? stack->end - pointer
               : 0;
}

enum {
    FIRST_CAPACITY = 32,
    NAME_CAPACITY = 16,
    NAME_EVERY = 64,
    THOROUGH_EVERY = 8
};

struct thread {
    int tid;        /* 0: free entry */
    unsigned round; /* last round in which it existed */
    unsigned age;   /* rounds since it was first seen */
    bool is_found;  /* its stack is known */
    struct thread_stack stack;
    char name[NAME_CAPACITY];
};

static struct thread *threads; /* in pages of the port */
static size_t capacity, used;
static unsigned round_number;
static int folder = -1;
static pid_t folder_pid;

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

/* Tids are mostly listed in order, so the last entry is a good guess. */
static struct thread *find_or_add(int tid)
{
    static size_t guess;
    size_t place, free_place = used;

    if (++guess < used && threads[guess].tid == tid)
        return &threads[guess];
    for (place = used; place-- > 0;) {
        if (threads[place].tid == tid)
            return &threads[guess = place];
        if (threads[place].tid == 0)
            free_place = place;
    }
    if (free_place == capacity && !grow())
        return NULL;
    used += free_place == used;
    threads[free_place] = (struct thread){ .tid = tid };
    return &threads[free_place];
}

static void read_name(struct thread *thread)
{
    char path[64];
    long size;

    snprintf(path, sizeof path, "/proc/self/task/%d/comm", thread->tid);
    size = raw_read_file(path, thread->name, sizeof thread->name);
    if (size > 0)
        thread->name[size - 1] = '\0';
}

/* Report a thread's stack; return false if it cannot be found. */
static bool look_at(struct thread *thread, tally_port_region_fn tell,
                    void *context)
{
    struct tally_port_region stack;

    thread->round = round_number;
    if (!thread->is_found)
        thread->is_found = find_stack(thread->tid, &thread->stack);
    if (!thread->is_found)
        return false;
    if (thread->age % NAME_EVERY == 0 ||
        (thread->age < NAME_EVERY && (thread->age & (thread->age - 1)) == 0))
        read_name(thread);
    /*
     * Check again how far down the stack was used; in thorough rounds, also
     * below gaps of more than 256 KiB. Swapped-out pages count if they were
     * seen before.
     */
    if (thread->age++ % THOROUGH_EVERY == 0 || is_used_below(&thread->stack))
        find_lowest(&thread->stack);
    stack = (struct tally_port_region){
        .address = thread->stack.start,
        .used = thread->stack.end - thread->stack.lowest,
        .unused = thread->stack.lowest - thread->stack.start,
        .name = thread->name[0] == '\0' ? NULL : thread->name,
        .thread = (uint32_t)thread->tid,
        .kind = ZPL_STACK,
    };
    tell(context, &stack);
    return true;
}

/* Return the number of threads whose stacks cannot be found. */
static uint32_t look_at_entries(const char *bytes, long size,
                                tally_port_region_fn tell, void *context)
{
    uint32_t unseen = 0;

    for (long at = 0; at < size;) {
        const struct dirent64 *entry = (const void *)(bytes + at);
        int tid = atoi(entry->d_name);
        struct thread *thread = tid > 0 ? find_or_add(tid) : NULL;

        if (tid > 0 && (thread == NULL || !look_at(thread, tell, context)))
            unseen++;
        at += entry->d_reclen;
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

static uint32_t each_stack(tally_port_region_fn tell, void *context)
{
    static _Alignas(8) char bytes[4096];
    uint32_t unseen = 0;
    int saved = errno;
    long size;

    if (!open_folder()) {
        errno = saved;
        return 1; /* at least the caller's */
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

uint32_t tally_port_each_region(enum zpl_memory_region kind,
                                tally_port_region_fn tell, void *context)
{
    if (kind == ZPL_STACK)
        return each_stack(tell, context);
    if (kind == ZPL_HEAP)
        heaps_each_region(tell, context);
    tally_own_regions(kind, tell, context);
    return 0;
}

size_t tally_port_stack_depth(uint32_t thread)
{
    int saved = errno;
    size_t depth = 0;

    for (size_t i = 0; i < used; i++) {
        if (threads[i].tid == (int)thread && threads[i].is_found)
            depth = depth_of((int)thread, &threads[i].stack);
    }
    errno = saved;
    return depth;
}
