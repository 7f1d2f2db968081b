/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counted_due.c - one call, and all who look at it; see counted.h
 *
 * They look at a block when the allocator has handed it out; at one that is resized
 * before, for if somebody refuses the program keeps the old one.
 *
 * Clients are asked with no lock held, and may run callbacks of the program. The
 * program finds errno as the allocator has left it.
 */
#include "recorder/counted_due.h"

#include <errno.h>
#include <sys/mman.h>

#include "core/block_filter.h"
#include "core/limits_calls.h"
#include "ledger/modules.h"
#include "recorder/live_bytes.h"
#include "recorder/program_stack.h"
#include "recorder/real_functions.h"
#include "recorder/release.h"
#include "recorder/tagged_calls.h"
#include "recorder/traced.h"
#include "unwind/origin_here.h"

/* Beyond that a block is a map of its own, and may be too large for the machine. */
enum { LARGE = 32 << 20 };

#define ADDRESS_LIMIT ((size_t)1 << 47)

/* One call, in the words of enum counted_call. */
struct call {
    enum counted_call form;
    uintptr_t a, b, c, caller;
};

static bool is_alone(void)
{
    return process.counting.alone != 0;
}

static size_t size_of(const struct call *call)
{
    switch (call->form) {
    case COUNTED_CALLOC:
        return calloc_bytes(call->a, call->b, call->caller);
    case COUNTED_ALIGNED:
    case COUNTED_POSIX_MEMALIGN:
        return call->c;
    case COUNTED_TAGGED_CALLOC:
        return call->a * call->b;
    case COUNTED_BY_SIZE:
    case COUNTED_NEW:
    case COUNTED_REALLOC:
    case COUNTED_TAGGED:
    case COUNTED_TAGGED_REALLOC:
        break;
    }
    return call->b;
}

typedef void *(*by_size_fn)(size_t size);
typedef void *(*by_two_fn)(size_t first, size_t second);

/* The call without us; what posix_memalign returns is put into `error`. */
static void *perform(const struct call *call, int *error)
{
    void *old = (void *)call->a;
    void *made = NULL;

    switch (call->form) {
    case COUNTED_BY_SIZE:
        return is_alone()
                   ? ((by_size_fn)call->a)(call->b)
                   : traced_by_size((by_size_fn)call->a, call->b, call->caller);
    case COUNTED_ALIGNED:
        return is_alone() ? ((by_two_fn)call->a)(call->b, call->c)
                          : traced_aligned((by_two_fn)call->a, call->b, call->c,
                                           call->caller);
    case COUNTED_NEW:
        return is_alone() ? ((by_two_fn)call->a)(call->b, call->c)
                          : traced_new((by_two_fn)call->a, call->b, call->c,
                                       call->caller);
    case COUNTED_CALLOC:
        return is_alone() ? real.calloc(call->a, call->b)
                          : traced_calloc(call->a, call->b, call->caller);
    case COUNTED_REALLOC:
        return is_alone() ? real.realloc(old, call->b)
                          : traced_realloc(old, call->b, call->caller);
    case COUNTED_POSIX_MEMALIGN:
        *error = is_alone() ? real.posix_memalign(&made, call->b, call->c)
                            : traced_posix_memalign(&made, call->b, call->c,
                                                    call->caller);
        return *error == 0 ? made : NULL;
    case COUNTED_TAGGED:
        return tagged_allocate_plain(call->a, call->b, (uint32_t)call->c,
                                     call->caller);
    case COUNTED_TAGGED_CALLOC:
        return tagged_allocate_zeroed_plain(call->a, call->b, (uint32_t)call->c,
                                            call->caller);
    case COUNTED_TAGGED_REALLOC:
        return tagged_resize_plain(old, call->b, (uint32_t)call->c,
                                   call->caller);
    }
    return NULL;
}

static bool resizes(const struct call *call)
{
    return call->form == COUNTED_REALLOC ||
           call->form == COUNTED_TAGGED_REALLOC;
}

/* A realloc to nothing is free, which always works. */
static bool frees(const struct call *call)
{
    return resizes(call) && call->a != 0 && call->b == 0;
}

/* Give back a block that nobody was told of by the clients of the countdown. */
static void give_back(void *block, uintptr_t caller)
{
    live_bytes_change(live_bytes_of(block), NULL);
    if (is_alone())
        real.free(block);
    else
        traced_free(block, caller);
}

/* To others it is a request that has failed; new says so itself. */
static void *refuse(const struct call *call, int *error)
{
    struct mem_trace_event event = {
        .op = MEM_TRACE_MALLOC,
        .caller = call->caller,
        .size = size_of(call),
    };

    if (call->form == COUNTED_CALLOC || call->form == COUNTED_TAGGED_CALLOC) {
        event.op = MEM_TRACE_CALLOC;
        event.count = call->a;
        event.size = call->b;
    } else if (resizes(call)) {
        event.op = MEM_TRACE_REALLOC;
        event.pointer = call->a;
    }
    if (!is_alone() && call->form != COUNTED_NEW)
        traced_refused(&event);
    errno = *error = ENOMEM;
    return NULL;
}

/* What a block that was there before has become of. */
struct old_block {
    struct counted_taken taken;
    bool is_taken;
};

static void take_old(const struct call *call, struct old_block *old)
{
    void *block = (void *)call->a;

    old->is_taken = resizes(call) && block_filter_may_have(block) &&
                    countdown_take(block, &old->taken);
}

static void settle_old(const struct call *call, const struct old_block *old,
                       const void *block)
{
    if (!old->is_taken)
        return;
    if (block != NULL || call->b == 0) /* realloc to nothing is free */
        countdown_retire(&old->taken);
    else
        countdown_put_back(&old->taken);
}

/*
 * Whether there can be memory for it, so that callbacks are told of it before: what
 * is larger than all addresses, or than what the kernel would give now, is not.
 */
static bool may_be_had(const struct call *call)
{
    size_t held = real.malloc_usable_size((void *)call->a);
    size_t more = call->b > held ? call->b - held : 0;
    void *probe;

    if (more < LARGE || more >= ADDRESS_LIMIT)
        return more < LARGE;
    probe = real.mmap(NULL, more, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED)
        return false;
    real.munmap(probe, more);
    return true;
}

/* Whether a block would be lost that the program keeps if somebody refuses. */
static bool is_announced(const struct call *call)
{
    return resizes(call) && call->a != 0 && call->b != 0 &&
           countdown_may_refuse() && may_be_had(call);
}

/* What clients are told after the call; false: the block is to be given back. */
static bool tell_clients(struct counted_thread *thread,
                         const struct counted_block *counted)
{
    if (counted->announcement != NULL)
        countdown_settle(thread, counted);
    else if (counted->block == NULL)
        countdown_fail(thread, counted->size);
    else
        return countdown_count(thread, counted);
    return true;
}

static void *call_and_tell(const struct call *call, struct old_block *old,
                           struct counted_thread *thread,
                           struct counted_block *counted, int64_t before,
                           int *error)
{
    int kept;

    counted->block = perform(call, error);
    kept = errno;
    if (counted->block == NULL && counted->size != 0 && is_alone() &&
        call->form != COUNTED_NEW)
        record_failure();
    settle_old(call, old, counted->block);
    if ((counted->block != NULL || counted->size == 0) &&
        !live_bytes_pass(before, counted->block) && thread == NULL)
        limits_add_live(0);
    if (thread != NULL && !tell_clients(thread, counted)) {
        if (!resizes(call) || call->a == 0) {
            give_back(counted->block, call->caller);
            return refuse(call, error);
        }
        thread->allocated +=
            counted->size; /* the old block is gone: too late */
    }
    errno = kept;
    return counted->block;
}

static void *call_and_count(const struct call *call,
                            const struct unwind_origin *origin, int *error)
{
    struct counted_thread *thread = countdown_thread();
    struct counted_block counted = { .size = size_of(call), .origin = origin };
    struct counted_announcement announcement;
    struct old_block old;
    int64_t before = resizes(call) ? live_bytes_of((void *)call->a) : 0;
    int kept = errno;

    if (thread != NULL)
        thread->stack = program_stack_of(origin, call->caller);
    if (thread != NULL && !frees(call) &&
        !countdown_allows(thread, counted.size, (size_t)before))
        return refuse(call, error);
    take_old(call, &old);
    if (thread != NULL && is_announced(call)) {
        announcement = (struct counted_announcement){ 0 };
        counted.announcement = &announcement;
        if (!countdown_announce(thread, &counted)) {
            settle_old(call, &old, NULL);
            return refuse(call, error);
        }
        errno = kept;
    }
    return call_and_tell(call, &old, thread, &counted, before, error);
}

uintptr_t counted_due_from(enum counted_call form, uintptr_t a, uintptr_t b,
                           uintptr_t c, uintptr_t caller,
                           const struct unwind_origin *origin)
    __attribute__((used));

uintptr_t counted_due_from(enum counted_call form, uintptr_t a, uintptr_t b,
                           uintptr_t c, uintptr_t caller,
                           const struct unwind_origin *origin)
{
    const struct call call = { form, a, b, c, caller };
    bool is_loader =
        countdown_has(COUNTDOWN_LIMITS) && modules_is_loader(caller);
    int error = 0, kept = errno;
    void *block;

    /* Without a thread's words the loader ends the process. */
    if (is_loader)
        limits_own_calls.mask(1);
    block = call_and_count(&call, origin, &error);
    if (is_loader)
        limits_own_calls.mask(-1);
    if (form != COUNTED_POSIX_MEMALIGN)
        return (uintptr_t)block;
    if (error == 0)
        *(void **)a = block;
    errno = kept;
    return (uintptr_t)error;
}

void counted_release(void *block)
{
    struct counted_taken taken;
    int kept = errno;

    /* A forked child that begins with a free has its parent's samples. */
    if (!countdown_is_on() && !record_is_listening())
        return;
    if (!countdown_is_on() || !countdown_take(block, &taken))
        return;
    countdown_retire(&taken);
    errno = kept;
}

#if defined __x86_64__
ORIGIN_HERE(counted_due, counted_due_from, r9);
#else
uintptr_t counted_due(enum counted_call call, uintptr_t a, uintptr_t b,
                      uintptr_t c, uintptr_t caller)
{
    return counted_due_from(call, a, b, c, caller, NULL);
}
#endif
