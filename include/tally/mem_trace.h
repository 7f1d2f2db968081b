/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace.h - a callback for every allocation
 *
 *     mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
 *     block = malloc(50);
 *     free(block);
 *
 * writes with the default callback
 *
 *     #m:0x20003240;0x600d-50
 *     #f:0x0;0x602f-0x20003240
 *
 * The API of Mbed OS mem_trace. The callback is called after each malloc,
 * realloc, calloc and free, with the arguments and the result of the call.
 * docs/mem-trace.md says which allocations are reported: by the recorder, by
 * --wrap, by slabs, heaps and tags, or by a custom allocator.
 *
 * Threads: all functions may be called in any thread, and in the callback.
 * While a callback is set, an allocation and its event happen under one lock,
 * so that events arrive one at a time and in order. A thread that allocates in
 * the callback or while holding the lock emits no event. In a forked child the
 * lock is free, unless the forking thread held it.
 *
 * Signal handlers and interrupts: a handler that interrupts the callback, or a
 * thread that holds the lock, emits no event and never waits. set_callback()
 * and the functions for allocators never wait. lock(), enable(), disable(), and
 * allocations while a callback is set, take the lock: in a signal handler they
 * may wait for another thread's callback, which must not wait for resources of
 * the interrupted thread.
 */
#ifndef TALLY_MEM_TRACE_H
#define TALLY_MEM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/private/guard.h"
#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

enum {
    MBED_MEM_TRACE_MALLOC,
    MBED_MEM_TRACE_REALLOC,
    MBED_MEM_TRACE_CALLOC,
    MBED_MEM_TRACE_FREE
};

/* First characters of each line of the default callback. */
#define MBED_MEM_DEFAULT_TRACER_PREFIX "#"

/*
 * `res` is the result of the operation, NULL for a free. `caller` is its return
 * address, if known. The arguments of the operation follow:
 *
 *     MBED_MEM_TRACE_MALLOC   size_t size
 *     MBED_MEM_TRACE_REALLOC  void *ptr, size_t size
 *     MBED_MEM_TRACE_CALLOC   size_t nmemb, size_t size
 *     MBED_MEM_TRACE_FREE     void *ptr
 *
 * A callback may allocate, trace, and call any function of this header. It must
 * not leave by longjmp() or an exception. It preserves errno, as the default
 * callback does, since errno tells the caller why an allocation failed.
 *
 * Compilers assume that malloc does not access the program's variables: make
 * variables that a callback shares with allocating code volatile or _Atomic
 * (docs/mem-trace.md).
 */
typedef void (*mbed_mem_trace_cb_t)(uint8_t op, void *res, void *caller, ...);

/*
 * Set the callback; NULL removes it. The call takes no lock and does not wait,
 * so the previous callback may still run in another thread: lock and unlock
 * afterwards to wait for its end. The callback that enable() restores does not
 * change.
 */
void mbed_mem_trace_set_callback(mbed_mem_trace_cb_t cb);

/*
 * disable() removes the callback and saves it; without a callback, the saved
 * one is kept. enable() sets the saved callback unless one is set, and keeps it
 * saved. So after a disable() and an enable(), enable() also restores a
 * callback that set_callback(NULL) removed. Both wait for the thread that holds
 * the lock.
 */
void mbed_mem_trace_disable(void);
void mbed_mem_trace_enable(void);

/*
 * Take or release the lock. Calls nest. While a thread holds it and a callback
 * is set, allocations of other threads wait and its own emit no events. While
 * no callback is set, no allocation starts to wait; one that already waits
 * continues at unlock. unlock() does nothing if the calling thread does not
 * hold the lock: where a longjmp lands, call as many as may be owed. In C++
 * tally::mem_trace_guard holds it to the end of a block, also on exceptions.
 */
void mbed_mem_trace_lock(void);
void mbed_mem_trace_unlock(void);

/*
 * Emit the event of a completed operation, from a custom allocator. These
 * functions do not allocate or take the lock. They emit no event if the caller
 * holds the lock twice or is in the callback. An allocator calls
 *
 *     mbed_mem_trace_lock();
 *     block = take(size);
 *     mbed_mem_trace_malloc(block, size, __builtin_return_address(0));
 *     mbed_mem_trace_unlock();
 *
 * and may itself use another allocator that emits events.
 * tally_mem_trace_enter() takes the lock only if an event will be emitted; use
 * it in place of lock(). Without the lock, several threads may call the
 * callback at once. Return `res`, with or without an event.
 */
void *mbed_mem_trace_malloc(void *res, size_t size, void *caller);
void *mbed_mem_trace_realloc(void *res, void *ptr, size_t size, void *caller);
void *mbed_mem_trace_calloc(void *res, size_t num, size_t size, void *caller);
void mbed_mem_trace_free(void *ptr, void *caller);

/*
 * Take the lock if the calling thread's next operation emits an event: a
 * callback is set, and the thread neither holds the lock nor is in the
 * callback. Return true if it was taken; the caller then owes an unlock().
 */
bool tally_mem_trace_enter(void);

/*
 * Write each event as one line of text, with one write to a file descriptor,
 * without stdio or allocation; errno is preserved. An unknown op is written as
 * "?".
 *
 *     #m:RESULT;CALLER-SIZE
 *     #r:RESULT;CALLER-PTR;SIZE
 *     #c:RESULT;CALLER-NMEMB;SIZE
 *     #f:RESULT;CALLER-PTR
 *
 * Addresses are in lower-case hexadecimal, 0x0 for NULL; numbers are decimal.
 */
void mbed_mem_trace_default_callback(uint8_t op, void *res, void *caller, ...);

/*
 * Set the descriptor of the default callback, initially 1. Without file
 * descriptors, its lines go to the port's console (tally_board_write() of
 * tally/bare_metal.h) whatever the number.
 */
void tally_mem_trace_set_descriptor(int descriptor);

TALLY_END_DECLS

/* Lock for C++: released with its block, also on exceptions. */
TALLY_GUARD(mem_trace_guard, mbed_mem_trace_lock, mbed_mem_trace_unlock)

#endif /* TALLY_MEM_TRACE_H */
