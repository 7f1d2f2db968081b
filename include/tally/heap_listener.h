/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_listener.h - Zephyr's callbacks for every block of a heap
 *
 *     void on_alloc(uintptr_t heap_id, void *mem, size_t bytes);
 *     static HEAP_LISTENER_ALLOC_DEFINE(watch, HEAP_ID_FROM_POINTER(&heap),
 *                                       on_alloc);
 *
 *     heap_listener_register(&watch);
 *
 * `bytes` include the heap's overhead, so that the sum over all events equals
 * allocated_bytes of sys_heap_runtime_stats_get(). A realloc is an alloc of the
 * new size, then a free of the old one; in place, both have the same pointer.
 *
 * Callbacks run in the context of the allocation. They must not register,
 * unregister, or use the heap. A listener registered twice is called once. The
 * cost without listeners is one load. While a listener is registered, signal
 * handlers must not use heaps, since listeners are called under a lock.
 */
#ifndef TALLY_HEAP_LISTENER_H
#define TALLY_HEAP_LISTENER_H

#include <stddef.h>
#include <stdint.h>

#include "tally/private/linkage.h"
#include "tally/private/not_in_zephyr.h"

TALLY_BEGIN_DECLS

enum heap_event_types {
    HEAP_EVT_UNKNOWN,
    HEAP_RESIZE, /* the region itself; never sent for sys_heaps, whose regions
                    are fixed */
    HEAP_ALLOC,
    HEAP_FREE,
    HEAP_REALLOC, /* never sent: see above */
    HEAP_MAX_EVENTS
};

/* The id of a heap is the address of its struct; the C library's heap is 0. */
#define HEAP_ID_FROM_POINTER(pointer) ((uintptr_t)(pointer))
#define HEAP_ID_LIBC                  ((uintptr_t)0)

typedef void (*heap_listener_alloc_cb_t)(uintptr_t heap_id, void *mem,
                                         size_t bytes);
typedef void (*heap_listener_free_cb_t)(uintptr_t heap_id, void *mem,
                                        size_t bytes);
typedef void (*heap_listener_resize_cb_t)(uintptr_t heap_id, void *old_heap_end,
                                          void *new_heap_end);

/* `next` is private. */
struct heap_listener {
    struct heap_listener *next;
    uintptr_t heap_id;
    enum heap_event_types event;
    __extension__ union {
        heap_listener_alloc_cb_t alloc_cb;
        heap_listener_free_cb_t free_cb;
        heap_listener_resize_cb_t resize_cb;
    };
};

#define HEAP_LISTENER_ALLOC_DEFINE(name, id, callback)     \
    struct heap_listener name = {                          \
        NULL, (id), HEAP_ALLOC, { .alloc_cb = (callback) } \
    }
#define HEAP_LISTENER_FREE_DEFINE(name, id, callback)    \
    struct heap_listener name = {                        \
        NULL, (id), HEAP_FREE, { .free_cb = (callback) } \
    }
#define HEAP_LISTENER_RESIZE_DEFINE(name, id, callback)      \
    struct heap_listener name = {                            \
        NULL, (id), HEAP_RESIZE, { .resize_cb = (callback) } \
    }

/* Register or unregister a listener. Any thread. The caller owns it and keeps
   it alive while it is registered. */
void heap_listener_register(struct heap_listener *listener);
void heap_listener_unregister(struct heap_listener *listener);

/* Notify the listeners of `heap_id`. For heaps that are not sys_heaps. */
void heap_listener_notify_alloc(uintptr_t heap_id, void *mem, size_t bytes);
void heap_listener_notify_free(uintptr_t heap_id, void *mem, size_t bytes);
void heap_listener_notify_resize(uintptr_t heap_id, void *old_heap_end,
                                 void *new_heap_end);

TALLY_END_DECLS

#endif /* TALLY_HEAP_LISTENER_H */
