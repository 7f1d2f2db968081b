/* SPDX-License-Identifier: Apache-2.0 */
/*
 * k_heap.c - a heap that threads share and may wait for
 *
 * All functions run under the heap's guard. A thread that frees serves the
 * waiters, so that a waiter wakes up with its block. The first waiter is the
 * next one by priority and time whose request does not fit. Invariants:
 *
 *   K1  freed memory is offered to all waiters in order, at once or, if it is
 *       reserved for the first one, at the latest when the reservation ends
 *   K2  the first one is passed over at most TALLY_K_HEAP_PASSES times between
 *       two reservations; each reservation is longer than the last
 *   K3  no thread waits for memory that no free could provide
 */
#include "tally/k_heap.h"

#include <string.h>

#include "core/accounts/engine.h"
#include "core/accounts/regions.h"
#include "core/base/clock.h"
#include "core/heaps/heap_chunk.h"
#include "core/observers/sample.h"
#include "core/observers/tell.h"
#include "core/tags/alloc_tag.h"
#include "core/waiting/wait_queue.h"
#include "tally/port.h"

enum { INVALID = -22 };

enum { FIRST_KEEP_NS = 1000000, LONGEST_KEEP_NS = 1000000000 };

/* A thread's request. */
struct request {
    struct tally_waiter waiter; /* first: the queue points here */
    void *old;                  /* block to resize, or NULL */
    size_t align, bytes;
    void *mem;
    struct tally_heap_block before; /* old charge of `old` */
};

/* Return the waiters in order of arrival. */
static struct tally_waiter *waiters_of(const struct k_heap *heap)
{
    return WAIT_QUEUE_IS_USED ? heap->waiters : NULL;
}

/* Take the guard. A heap defined by a macro is opened at its first use. */
static uint64_t enter(struct k_heap *heap)
{
    uint64_t kept = tally_port_guard(&heap->guard);

    if (heap->heap.base == NULL && heap->heap.init_mem != NULL)
        heap_open(&heap->heap, heap->heap.init_mem, heap->heap.init_bytes,
                  LEDGER_REGION_K_HEAP);
    return kept;
}

/* Like enter(), before a use: the first use opens the accounts. */
static uint64_t enter_to_use(struct k_heap *heap)
{
    const struct tally_heap_entry *entry = heap->heap.entry;

    if (entry == NULL || entry->region == NULL)
        regions_open();
    return enter(heap);
}

static void leave(struct k_heap *heap, uint64_t kept)
{
    struct tally_heap_entry *entry = heap->heap.entry;

    if (entry != NULL && entry->region != NULL && engine_has_ledger()) {
        entry->region->refused = heap->refused;
        entry->region->timed_out = heap->timed_out;
        entry->region->waiting = heap->waiting;
        entry->region->longest_wait_ns = heap->longest_wait_ns;
    }
    tally_port_unguard(&heap->guard, kept);
}

/* Try a request. The sys_heap does not count a failed try: refused requests are
   counted here, once each. */
static bool try_request(struct k_heap *heap, struct request *request)
{
    uint32_t refused = heap->heap.refused;

    request->mem = request->old == NULL
                       ? heap_take(&heap->heap, request->align, request->bytes)
                       : heap_change(&heap->heap, request->old, request->align,
                                     request->bytes, &request->before);
    heap->heap.refused = refused;
    return request->mem != NULL;
}

/* Return true if no free can make room: only the block to resize is live. */
static bool is_hopeless(const struct k_heap *heap,
                        const struct request *request)
{
    uint32_t own = request->old != NULL;

    return request->bytes > heap->heap.init_bytes || heap->heap.blocks <= own;
}

static bool is_kept(const struct k_heap *heap, uint64_t now)
{
    return waiters_of(heap) != NULL && now < heap->kept_until_ns;
}

/* Count that another thread got memory while the first waiter did not. */
static void pass(struct k_heap *heap, uint64_t now)
{
    INVARIANT(K2, heap->passes < TALLY_K_HEAP_PASSES);
    if (++heap->passes < TALLY_K_HEAP_PASSES)
        return;
    if (heap->keep_ns == 0)
        heap->keep_ns = FIRST_KEEP_NS;
    heap->passes = 0;
    heap->kept_until_ns = now + heap->keep_ns;
    if (heap->keep_ns < LONGEST_KEEP_NS)
        heap->keep_ns *= 2;
    wait_queue_stir(heap->waiters); /* wake all when the reservation ends */
}

/* Reset the reservation: the first waiter has changed. */
static void forget_first(struct k_heap *heap)
{
    heap->passes = 0;
    heap->kept_until_ns = 0;
    heap->keep_ns = 0;
}

static void serve(struct k_heap *heap, struct request *request)
{
    wait_queue_leave(&request->waiter, &heap->longest_wait_ns);
    tally_port_wake(wait_queue_serve(&request->waiter));
}

/* Offer free memory to all waiters. */
static void serve_waiters(struct k_heap *heap)
{
    struct tally_waiter *waiter;
    bool has_first = false;
    uint64_t now;

    if (waiters_of(heap) == NULL)
        return;
    now = tally_time_ns();
    while ((waiter = wait_queue_best(heap->waiters)) != NULL) {
        struct request *request = (struct request *)(void *)waiter;

        if (try_request(heap, request) || is_hopeless(heap, request)) {
            bool gives = request->mem != NULL && request->old != NULL;

            heap->refused += request->mem == NULL;
            serve(heap, request);
            if (has_first)
                pass(heap, now);
            else
                forget_first(heap);
            if (gives) { /* moving freed the block's old memory */
                wait_queue_pass_none(heap->waiters);
                has_first = false;
            }
        } else {
            has_first = true;
            waiter->is_passed = true;
        }
        if (has_first && is_kept(heap, now))
            break;
    }
    INVARIANT(K1, has_first || heap->waiters == NULL);
    wait_queue_pass_none(heap->waiters);
}

/* Return true if the calling thread may be served before the waiters. */
static bool may_go_first(const struct k_heap *heap, uint64_t now)
{
    const struct tally_waiter *first =
        WAIT_QUEUE_IS_USED ? wait_queue_best(heap->waiters) : NULL;

    return first == NULL || !is_kept(heap, now) ||
           wait_queue_is_more_urgent(tally_port_thread(), first);
}

/* Serve without waiting. A block that shrinks or moves frees memory for
   others. */
static bool satisfy_now(struct k_heap *heap, struct request *request)
{
    uint64_t now = waiters_of(heap) == NULL ? 0 : tally_time_ns();
    bool gives =
        request->old != NULL &&
        request->bytes <= sys_heap_usable_size(&heap->heap, request->old);

    if ((!gives && !may_go_first(heap, now)) || !try_request(heap, request))
        return false;
    if (waiters_of(heap) != NULL && !gives)
        pass(heap, now);
    if (request->old != NULL)
        serve_waiters(heap);
    return true;
}

/* Wait until served. The guard is held on entry and on return. */
static void wait_for_room(struct k_heap *heap, struct request *request,
                          uint64_t *kept)
{
    struct tally_waiter *waiter = &request->waiter;

    INVARIANT(K3, !is_hopeless(heap, request));
    wait_queue_add(&heap->waiters, waiter, &heap->waiting);
    for (;;) {
        uint64_t until = heap->kept_until_ns;

        if (until <= tally_time_ns())
            until = TALLY_PORT_FOREVER;
        leave(heap, *kept);
        wait_queue_sleep(waiter, until);
        *kept = tally_port_guard(&heap->guard);
        if (wait_queue_is_served(waiter))
            return;
        if (tally_time_ns() >= waiter->until_ns)
            break;
        serve_waiters(heap);
        if (wait_queue_is_served(waiter))
            return;
    }
    if (wait_queue_best(heap->waiters) == waiter)
        forget_first(heap);
    wait_queue_leave(waiter, &heap->longest_wait_ns);
    heap->timed_out++;
    serve_waiters(heap);
}

static void *satisfy(struct k_heap *heap, void *old, size_t align, size_t bytes,
                     k_timeout_t timeout)
{
    struct request request = { .old = old, .align = align, .bytes = bytes };
    bool may_wait = timeout.ns != 0 && wait_queue_is_open();
    uint64_t kept = enter_to_use(heap);

    if (!heap_is_alignment(&heap->heap, align) ||
        (old != NULL &&
         !tally_heap_block_read(&heap->heap, old, &request.before))) {
        leave(heap, kept);
        return NULL;
    }
    if (!satisfy_now(heap, &request)) {
        if (!may_wait || is_hopeless(heap, &request)) {
            heap->refused++;
        } else {
            request.waiter = wait_queue_waiter(timeout);
            wait_for_room(heap, &request, &kept);
        }
    }
    leave(heap, kept);
    if (request.mem != NULL)
        heap_charge(&heap->heap, request.mem, bytes, &request.before);
    return request.mem;
}

void k_heap_init(struct k_heap *heap, void *mem, size_t bytes)
{
    regions_open();
    *heap = (struct k_heap){ 0 };
    heap_open(&heap->heap, mem, bytes, LEDGER_REGION_K_HEAP);
}

/* Return the block, or NULL if its sample is rejected. */
static void *sampled(struct k_heap *heap, void *mem, size_t bytes, void *caller)
{
    if (sample_made(mem, bytes, caller))
        return mem;
    k_heap_free(heap, mem);
    return NULL;
}

static void *allocate(struct k_heap *heap, size_t align, size_t bytes,
                      k_timeout_t timeout, void *caller)
{
    void *mem = bytes == 0 ? NULL : satisfy(heap, NULL, align, bytes, timeout);

    if (tell_begins())
        tell_malloc(mem, bytes, caller);
    return sampled(heap, mem, bytes, caller);
}

void *k_heap_aligned_alloc(struct k_heap *heap, size_t align, size_t bytes,
                           k_timeout_t timeout)
{
    return allocate(heap, align, bytes, timeout, TELL_CALLER);
}

void *k_heap_alloc(struct k_heap *heap, size_t bytes, k_timeout_t timeout)
{
    return allocate(heap, 0, bytes, timeout, TELL_CALLER);
}

void *k_heap_calloc(struct k_heap *heap, size_t num, size_t size,
                    k_timeout_t timeout)
{
    void *mem = NULL;
    size_t bytes;

    if (!__builtin_mul_overflow(num, size, &bytes) && bytes != 0)
        mem = satisfy(heap, NULL, 0, bytes, timeout);
    if (mem != NULL)
        memset(mem, 0, bytes);
    if (tell_begins())
        tell_calloc(mem, num, size, TELL_CALLER);
    return sampled(heap, mem, mem == NULL ? 0 : bytes, TELL_CALLER);
}

void *k_heap_realloc(struct k_heap *heap, void *ptr, size_t bytes,
                     k_timeout_t timeout)
{
    struct sample_old old = sample_take(ptr);
    void *mem = NULL;
    bool is_told = false;

    if (bytes == 0 || timeout.ns == 0)
        is_told = tell_begins(); /* nothing below waits */
    if (bytes == 0)
        k_heap_free(heap, ptr);
    else
        mem = satisfy(heap, ptr, 0, bytes, timeout);
    if (is_told || (bytes != 0 && timeout.ns != 0 && tell_begins()))
        tell_realloc(mem, ptr, bytes, TELL_CALLER);
    sample_finish(&old, mem != NULL || bytes == 0);
    (void)sample_made(mem, bytes, TELL_CALLER);
    return mem;
}

void k_heap_free(struct k_heap *heap, void *mem)
{
    struct tally_heap_block block;
    uint64_t kept;
    bool is_block;

    sample_freed(mem);
    if (tell_begins()) {
        k_heap_free(heap, mem);
        tell_free(mem, TELL_CALLER);
        return;
    }
    if (mem == NULL)
        return;
    kept = enter_to_use(heap);
    is_block = tally_heap_block_free(&heap->heap, mem, &block);
    serve_waiters(heap);
    leave(heap, kept);
    if (is_block)
        charge_end(block.site, block.requested);
}

int tally_k_heap_figures_get(struct k_heap *heap,
                             struct tally_k_heap_figures *figures)
{
    uint64_t kept;

    if (heap == NULL || figures == NULL)
        return INVALID;
    kept = enter(heap);
    *figures = (struct tally_k_heap_figures){
        .refused = heap->refused,
        .timed_out = heap->timed_out,
        .waiting = heap->waiting,
        .longest_wait_ns = heap->longest_wait_ns,
    };
    leave(heap, kept);
    return 0;
}

/* Enter heaps in the list of all. */
void tally_k_heaps_enter(struct tally_k_heap_item *start,
                         struct tally_k_heap_item *stop)
{
    for (struct tally_k_heap_item *item = start; item < stop; item++) {
        leave(item->heap, enter(item->heap));
        heap_define(&item->heap->heap, item, item->name);
    }
}

void tally_k_heaps_leave(struct tally_k_heap_item *start,
                         struct tally_k_heap_item *stop)
{
    if (!regions_are_unloaded(start))
        return;
    for (struct tally_k_heap_item *item = start; item < stop; item++)
        heap_leave(&item->heap->heap, item);
}
