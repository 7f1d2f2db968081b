/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace.h - a callback for every allocation, as it happens
 *
 *     mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
 *     block = malloc(50);
 *     free(block);
 *
 * writes, by the default callback,
 *
 *     #m:0x20003240;0x600d-50
 *     #f:0x0;0x602f-0x20003240
 *
 * Mbed OS mem_trace under its own names. A callback that is set is called after
 * each malloc, realloc, calloc and free, with what the call was given and what
 * it returned. docs/mem-trace.md: which allocations are reported and how, by
 * the recorder, by --wrap, by slabs, heaps and tags, or by an allocator of the
 * program's own.
 *
 * Threads: all of this may be called in any thread, and in the callback. While
 * a callback is set, an allocation and its event are under one lock, so that
 * events come one at a time and in order. A thread that allocates while it
 * holds that lock, or in the callback, gives no event. The child of a fork
 * finds the lock free, unless its own thread has it.
 *
 * Signal handlers and interrupts: a handler that comes while its thread holds
 * the lock, or is in the callback, gives no event and never waits.
 * set_callback() and the functions of allocators never wait. lock(), enable(),
 * disable(), and allocations while a callback is set, take the lock: in a
 * signal handler they may wait for another thread's callback, which must not
 * wait for what the interrupted thread has.
 */
#ifndef TALLY_MEM_TRACE_H
#define TALLY_MEM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

enum {
    MBED_MEM_TRACE_MALLOC,
    MBED_MEM_TRACE_REALLOC,
    MBED_MEM_TRACE_CALLOC,
    MBED_MEM_TRACE_FREE
};

/* What a line of the default callback begins with. */
#define MBED_MEM_DEFAULT_TRACER_PREFIX "#"

/*
 * `res` is what the operation returned, NULL of a free. `caller` is the address
 * that it returns to, as far as that is known. Behind them comes what it was
 * given:
 *
 *     MBED_MEM_TRACE_MALLOC   size_t size
 *     MBED_MEM_TRACE_REALLOC  void *ptr, size_t size
 *     MBED_MEM_TRACE_CALLOC   size_t nmemb, size_t size
 *     MBED_MEM_TRACE_FREE     void *ptr
 *
 * A callback may allocate, trace, and call any function of this header. It does
 * not leave by longjmp() or an exception. Like the default one it keeps errno,
 * which tells the caller why an allocation failed.
 *
 * Compilers assume that malloc touches no variable of the program: variables
 * that a callback shares with code that allocates must be volatile or _Atomic
 * (docs/mem-trace.md).
 */
typedef void (*mbed_mem_trace_cb_t)(uint8_t op, void *res, void *caller, ...);

/*
 * Call `cb` from now on; NULL: nothing. It waits for nothing and takes no lock,
 * so the callback before may still run in another thread: to wait for its end,
 * lock and unlock afterwards. What enable() restores is not changed.
 */
void mbed_mem_trace_set_callback(mbed_mem_trace_cb_t cb);

/*
 * disable() takes the callback away and keeps it in reserve. If there is none,
 * the one in reserve stays. enable() sets the one in reserve, unless one is
 * set; it stays in reserve. So, once both have been called, enable() also
 * brings back a callback that set_callback(NULL) took away. Both wait for the
 * thread that has the lock.
 */
void mbed_mem_trace_disable(void);
void mbed_mem_trace_enable(void);

/*
 * Hold the lock, as often as need be. While a thread holds it, and a callback
 * is set, the allocations of other threads wait; its own give no events. While
 * none is set no allocation begins to wait; one that waits already goes on at
 * unlock. unlock() of a thread that does not hold it does nothing.
 */
void mbed_mem_trace_lock(void);
void mbed_mem_trace_unlock(void);

/*
 * For allocators: tell of an operation that is done. None of these allocates or
 * takes the lock. They give no event when the caller holds the lock twice or is
 * in the callback. So an allocator calls, as the others do,
 *
 *     mbed_mem_trace_lock();
 *     block = take(size);
 *     mbed_mem_trace_malloc(block, size, __builtin_return_address(0));
 *     mbed_mem_trace_unlock();
 *
 * and may itself use another allocator that tells. tally_mem_trace_enter()
 * instead of lock() takes the lock only if it is of use. Without the lock,
 * several threads may call the callback at once. They return `res`, whether or
 * not there was an event.
 */
void *mbed_mem_trace_malloc(void *res, size_t size, void *caller);
void *mbed_mem_trace_realloc(void *res, void *ptr, size_t size, void *caller);
void *mbed_mem_trace_calloc(void *res, size_t num, size_t size, void *caller);
void mbed_mem_trace_free(void *ptr, void *caller);

/*
 * Take the lock, if the calling thread's next operation is an event: a callback
 * is set, the thread neither holds the lock nor is in the callback. Returns
 * whether it did; unlock() is due then.
 */
bool tally_mem_trace_enter(void);

/*
 * A callback that writes each event as one line of text, by one write to a file
 * descriptor, with neither stdio nor allocation; errno is kept. An event of
 * another op is the line "?".
 *
 *     #m:RESULT;CALLER-SIZE
 *     #r:RESULT;CALLER-PTR;SIZE
 *     #c:RESULT;CALLER-NMEMB;SIZE
 *     #f:RESULT;CALLER-PTR
 *
 * Addresses are in hexadecimal, small letters, 0x0 for NULL; numbers in
 * decimal.
 */
void mbed_mem_trace_default_callback(uint8_t op, void *res, void *caller, ...);

/*
 * Where the default callback writes to, at first 1. Without descriptors its
 * lines go to the port's console (tally_board_write() of tally/bare_metal.h),
 * whatever the number.
 */
void tally_mem_trace_set_descriptor(int descriptor);

TALLY_END_DECLS

#endif /* TALLY_MEM_TRACE_H */
