/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_stacks.c - where the stacks of a Linux process's threads lie
 *
 * The kernel knows of no thread's stack but the first one's. It does know where
 * each thread's list of robust mutexes begins, and C libraries keep that in the
 * thread's descriptor, which lies at the top of its stack. The mapping that the
 * address is in is the stack, up to a distance from the address that is the same
 * in all threads; what is below is the guard, a mapping of its own.
 *
 * How far a stack was used is how far down its pages are there: the kernel makes
 * a page when it is first touched. Where it makes huge pages of stacks, that is
 * as fine as it gets. As stacks are used from the top down without large gaps, it
 * is enough to look just below what is known, and at all of it now and then.
 */
#define _GNU_SOURCE
#include "ports/posix/threads/thread_stacks.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    BATCH = 2048, /* pages that are asked for at once */
    WINDOW = 64,  /* ... when little is expected */
};

/* From the list's beginning to the stack's end, in any thread but the first. */
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

/* In a thread of its own, for the caller may be the first one. */
static void measure_distance(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, measure, NULL) == 0)
        pthread_join(thread, NULL);
}

struct mapping {
    uintptr_t start, end;
};

static bool read_mapping(const char *line, struct mapping *mapping)
{
    unsigned long start, end;

    if (sscanf(line, "%lx-%lx", &start, &end) != 2)
        return false;
    *mapping = (struct mapping){ start, end };
    return true;
}

/* The mapping that `address` is in, out of /proc/self/maps. */
static bool find_mapping(uintptr_t address, struct mapping *mapping)
{
    char bytes[4096];
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
            is_found = read_mapping(line, mapping) &&
                       address - mapping->start < mapping->end - mapping->start;
        filled -= (size_t)(line - bytes);
        memmove(bytes, line, filled);
        if (filled == sizeof bytes - 1) /* no line is as long as that */
            break;
    }
    close(fd);
    return is_found;
}

/* The first thread's grows on demand, down to the limit. */
static bool find_first(struct thread_stack *stack)
{
    extern void *__libc_stack_end __attribute__((weak));
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

bool thread_stack_find(int tid, struct thread_stack *stack)
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

/* What is mapped of it: the upper part. */
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

/* Whether anything is used just below what is known to be. */
static bool is_used_below(const struct thread_stack *stack)
{
    unsigned char there[WINDOW];
    size_t pages = (stack->lowest - stack->start) / PAGE;

    if (pages > WINDOW)
        pages = WINDOW;
    while (pages > 0 && mincore((void *)(stack->lowest - pages * PAGE),
                                pages * PAGE, there) != 0)
        pages /= 2; /* the first thread's is mapped as far as it was used */
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
            return; /* it is gone */
        for (size_t i = 0; i < pages; i++) {
            if (there[i] & 1) {
                stack->lowest = page + i * PAGE;
                return;
            }
        }
        page += pages * PAGE;
    }
}

void thread_stack_update(struct thread_stack *stack, bool is_thorough)
{
    if (is_thorough || is_used_below(stack))
        find_lowest(stack);
}

size_t thread_stack_depth(int tid, const struct thread_stack *stack)
{
    char path[64], text[256];
    unsigned long pointer = 0;
    const char *field;
    ssize_t size;
    int fd;

    if (tid == (int)syscall(SYS_gettid))
        return stack->end - (uintptr_t)__builtin_frame_address(0);
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    size = read(fd, text, sizeof text - 1);
    close(fd);
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
