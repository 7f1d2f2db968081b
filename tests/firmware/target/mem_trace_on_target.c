/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace_on_target.c - trace newlib's malloc by --wrap
 *
 * Addresses differ between builds, so the events are compared with the
 * program's own calls. Only one line of text with given numbers is printed.
 */
#include <malloc.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#include "tally/mem_trace.h"
#include "verdict.h"

enum { HEAP_BYTES = 16384, MOST = 64 };

struct event {
    uint8_t op;
    void *res, *ptr;
    uintptr_t caller;
    size_t count, size;
};

static struct event events[MOST];
static unsigned count, allocated_in_callback;

/* newlib's heap grows here. */
void *_sbrk(ptrdiff_t more);

void *_sbrk(ptrdiff_t more)
{
    static _Alignas(8) char heap[HEAP_BYTES];
    static size_t used;
    char *start = heap + used;

    if ((size_t)more > HEAP_BYTES - used)
        return (void *)-1;
    used += (size_t)more;
    return start;
}

static void keep(uint8_t op, void *res, void *caller, ...)
{
    struct event event = { .op = op, .res = res, .caller = (uintptr_t)caller };
    va_list given;

    va_start(given, caller);
    if (op == MBED_MEM_TRACE_REALLOC || op == MBED_MEM_TRACE_FREE)
        event.ptr = va_arg(given, void *);
    if (op == MBED_MEM_TRACE_CALLOC)
        event.count = va_arg(given, size_t);
    if (op != MBED_MEM_TRACE_FREE)
        event.size = va_arg(given, size_t);
    va_end(given);
    if (count < MOST)
        events[count++] = event;
    if (allocated_in_callback > 0) {
        free(realloc(malloc(5), 50));
        allocated_in_callback--;
    }
}

/* Return true if there was one more event, equal to this one, called for in
   `function`. */
static bool is_told(uint8_t op, const void *res, const void *ptr, size_t number,
                    size_t size, void (*function)(void))
{
    static unsigned seen;
    const struct event *event = &events[seen];

    if (count != seen + 1)
        return false;
    seen++;
    return event->op == op && event->res == res && event->ptr == ptr &&
           event->count == number && event->size == size &&
           event->caller - (uintptr_t)function < 1024;
}

static __attribute__((noinline)) void family(void)
{
    char *block = malloc(50);
    char *moved;

    check("malloc is one event",
          is_told(MBED_MEM_TRACE_MALLOC, block, NULL, 0, 50, family));
    moved = realloc(block, 2000);
    check("realloc is one event",
          is_told(MBED_MEM_TRACE_REALLOC, moved, block, 0, 2000, family));
    block = calloc(25, 10);
    check("calloc is one event",
          is_told(MBED_MEM_TRACE_CALLOC, block, NULL, 25, 10, family));
    free(block);
    check("free is one event",
          is_told(MBED_MEM_TRACE_FREE, NULL, block, 0, 0, family));
    free(moved);
    check("free is another",
          is_told(MBED_MEM_TRACE_FREE, NULL, moved, 0, 0, family));
    free(NULL);
    check("free of NULL is one",
          is_told(MBED_MEM_TRACE_FREE, NULL, NULL, 0, 0, family));
    block = malloc(1000000);
    check("a malloc that fails is one",
          block == NULL &&
              is_told(MBED_MEM_TRACE_MALLOC, NULL, NULL, 0, 1000000, family));
    block = memalign(64, 100);
    check("memalign is a malloc of what was asked for",
          (uintptr_t)block % 64 == 0 &&
              is_told(MBED_MEM_TRACE_MALLOC, block, NULL, 0, 100, family));
    free(block);
    check("its free is one",
          is_told(MBED_MEM_TRACE_FREE, NULL, block, 0, 0, family));
}

/* Make newlib allocate for itself. */
static __attribute__((noinline)) void inside(void)
{
    extern struct _reent *_impure_ptr;
    void *_malloc_r(struct _reent * state, size_t size);
    void _free_r(struct _reent * state, void *block);
    void *block = _malloc_r(_impure_ptr, 30);

    check("_malloc_r is one event",
          is_told(MBED_MEM_TRACE_MALLOC, block, NULL, 0, 30, inside));
    _free_r(_impure_ptr, block);
    check("_free_r is one event",
          is_told(MBED_MEM_TRACE_FREE, NULL, block, 0, 0, inside));
}

static __attribute__((noinline)) void locked(void)
{
    unsigned before = count;

    mbed_mem_trace_lock();
    free(malloc(1));
    mbed_mem_trace_unlock();
    check("what holds the lock gives no event", count == before);
    allocated_in_callback = 2;
    free(malloc(1));
    check("nor does the callback", count == before + 2);
}

static volatile unsigned ticks;

/* SysTick: the program's own allocator, in a handler. */
void board_on_tick(void)
{
    if (ticks < 40) {
        mbed_mem_trace_lock();
        (void)mbed_mem_trace_malloc((void *)&ticks, 1, NULL);
        mbed_mem_trace_unlock();
    }
    ticks++;
}

static void handlers(void)
{
    unsigned before;

    count = 0;
    mbed_mem_trace_lock();
    before = ticks;
    while (ticks < before + 2)
        ;
    check("a handler tells nothing while the lock is held", count == 0);
    mbed_mem_trace_unlock();
    before = ticks;
    while (ticks < before + 2)
        ;
    check("it does otherwise, without waiting", count >= 1);
}

int main(void)
{
    mbed_mem_trace_set_callback(keep);
    mbed_mem_trace_lock(); /* until the handler's turn comes */
    ticks = 1000;
    mbed_mem_trace_unlock();
    family();
    inside();
    locked();
    ticks = 0;
    handlers();
    ticks = 1000;
    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    (void)mbed_mem_trace_malloc((void *)0x20003240, 50, (void *)0x600d);
    mbed_mem_trace_free((void *)0x20003240, (void *)0x602f);
    mbed_mem_trace_set_callback(NULL);
    return verdict_failures != 0;
}
