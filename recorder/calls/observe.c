/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.c - one call, in all forms; see observe.h
 *
 * Clients of the countdown look at a block after the allocator has returned it;
 * for a resize they look before, since the program keeps the old block if one
 * refuses. They are called with no lock held, and may run callbacks of the
 * program. errno stays as the allocator left it.
 *
 * This file is long because it is one routine: all paths of one call.
 */
#include "recorder/calls/observe.h"

#include <errno.h>
#include <sys/mman.h>

#include "ledger/blocks/attach.h"
#include "ledger/space/modules.h"
#include "ports/posix/raw_calls.h"
#include "recorder/calls/counting.h"
#include "recorder/calls/real_allocator.h"
#include "recorder/calls/recording.h"
#include "recorder/observer.h"
#include "recorder/stacks/stacks.h"
#include "sampling/countdown/block_table.h"
#include "sampling/limits/limits.h"
#include "unwind/unwind.h"

/* Larger blocks are maps of their own, and may be too large for the machine. */
enum { LARGE = 32 << 20 };

#define ADDRESS_LIMIT ((size_t)1 << 47)

#define INLINE static inline __attribute__((always_inline))

/* one call, in as many words as registers can pass */
struct call {
    enum {
        FORM_BY_SIZE,
        FORM_ALIGNED,
        FORM_NEW,
        FORM_CALLOC,
        FORM_REALLOC,
        FORM_RESIZE, /* a resize by another allocator */
    } form;
    /* site to charge; 0: its caller. For FORM_RESIZE the argument beside the
       size. */
    uint32_t site;
    union {
        observe_by_size_fn *by_size;      /* FORM_BY_SIZE */
        observe_aligned_fn *by_alignment; /* FORM_ALIGNED, FORM_NEW */
        size_t count;                     /* FORM_CALLOC */
        observe_resize_fn *resize;        /* FORM_RESIZE */
    } of;
    union {
        size_t alignment; /* FORM_ALIGNED, FORM_NEW */
        void *old;        /* FORM_REALLOC, FORM_RESIZE */
    } with;
    size_t size; /* bytes; for FORM_CALLOC of one element */
    uintptr_t caller;
};

enum { CALL_WORDS = 5 };

_Static_assert(sizeof(struct call) == CALL_WORDS * sizeof(uintptr_t), "");

/* Return the requested bytes. */
INLINE size_t bytes_of(const struct call *call)
{
    return call->form == FORM_CALLOC
               ? recording_product(
                     recording_count(call->of.count, call->size, call->caller),
                     call->size)
               : call->size;
}

INLINE bool resizes(const struct call *call)
{
    return call->form == FORM_REALLOC || call->form == FORM_RESIZE;
}

/* Return true for a realloc to size 0, which is a free and cannot fail. */
static bool frees(const struct call *call)
{
    return resizes(call) && call->with.old != NULL && call->size == 0;
}

INLINE void *perform(const struct call *call)
{
    switch (call->form) {
    case FORM_BY_SIZE:
        return call->of.by_size(call->size);
    case FORM_ALIGNED:
    case FORM_NEW:
        return call->of.by_alignment(call->with.alignment, call->size);
    case FORM_CALLOC:
        return real.calloc(call->of.count, call->size);
    case FORM_REALLOC:
        return real.realloc(call->with.old, call->size);
    case FORM_RESIZE:
        return call->of.resize(call->with.old, call->size, call->site);
    }
    return NULL;
}

/* Return true if each block is recorded; false if only samples are. */
static inline bool is_recorded(void)
{
    /* In MODE_EMPTY no free would take the block out again. */
    return mode_now() != MODE_EMPTY && (PLAIN_LOAD(&process.is_idle) |
                                        PLAIN_LOAD(&process.is_sampled)) == 0;
}

INLINE void charge(const struct call *call, void *block, size_t size)
{
    char *base = thread_shard();
    enum ledger_result result = LEDGER_SLOW_PATH;
    uint32_t word = 0;

    if (call->site != 0 && call->form != FORM_RESIZE) {
        ledger_alloc_word(block, size, ledger_word_of(call->site));
        return;
    }
    if (LIKELY(base != NULL && !process_has_stacks())) {
        if (UNLIKELY(!ledger_is_on()))
            return;
        word = site_table_find(&heap_sites, call->caller);
        result = ledger_alloc_near(block, size, word, base, LEDGER_OWN_SHARD);
    }
    if (result == LEDGER_SLOW_PATH)
        stacks_alloc(block, size, call->caller);
    else if (UNLIKELY(result == LEDGER_FLUSH))
        ledger_flush(block, (struct reference){ word, size });
}

INLINE void account(const struct call *call, struct reference old, void *made)
{
    if (UNLIKELY(!is_recorded())) {
        if (made == NULL && call->size != 0 && call->form != FORM_NEW &&
            !real_allocator_is_inside())
            ledger_count_failure();
        return;
    }
    if (real_allocator_is_inside())
        return;
    if (resizes(call) && !ledger_resized(call->with.old, old, made, call->size))
        return;
    if (call->form != FORM_NEW || made != NULL)
        charge(call, made, bytes_of(call));
}

INLINE struct mem_trace_event event_of(const struct call *call)
{
    struct mem_trace_event event = {
        .op = MEM_TRACE_MALLOC,
        .caller = call->caller,
        .size = call->size,
    };

    if (call->form == FORM_CALLOC) {
        event.op = MEM_TRACE_CALLOC;
        event.count = recording_count(call->of.count, call->size, call->caller);
    } else if (resizes(call)) {
        event.op = MEM_TRACE_REALLOC;
        event.pointer = (uintptr_t)call->with.old;
    }
    return event;
}

INLINE void *perform_and_account(const struct call *call)
{
    struct reference old = { 0, 0 };
    void *made;

    if (resizes(call) && is_recorded())
        old = ledger_take(call->with.old);
    made = perform(call);
    account(call, old, made);
    return made;
}

INLINE void *perform_observed(const struct call *call, uint32_t observers)
{
    struct observation observation = { .call = event_of(call) };
    void *made;
    int error;

    observation_begin(&observation, observers);
    made = perform_and_account(call);
    error = made == NULL ? errno : 0;
    observation.call.result = (uintptr_t)made;
    observation_end(&observation, made == NULL && call->form == FORM_NEW
                                      ? NULL
                                      : &observation.call);
    if (made == NULL) /* posix_memalign returns it */
        errno = error;
    return made;
}

INLINE void *perform_and_tell(const struct call *call, uint32_t observers)
{
    return UNLIKELY(observers != 0) ? perform_observed(call, observers)
                                    : perform_and_account(call);
}

static NOINLINE void start(void)
{
    real_functions_find();
    if (process.header == NULL)
        ledger_is_listening();
    if (UNLIKELY(limits_must_follow()))
        limits_turn_on();
}

INLINE void free_and_tell(void *block, uintptr_t caller, bool is_others)
{
    void (*account_for)(void *block) =
        is_others ? ledger_free_slow : release_recorded;
    struct observation observation;
    uint32_t observers = observers_now();

    if (observers != 0) {
        observation.call = (struct mem_trace_event){
            .op = MEM_TRACE_FREE,
            .caller = caller,
            .pointer = (uintptr_t)block,
        };
        observation_begin(&observation, observers);
    }
    if (LIKELY(is_recorded() && !real_allocator_is_inside()))
        account_for(block);
    else if (!is_others)
        real.free(block);
    if (observers != 0)
        observation_end(&observation, &observation.call);
}

void observe_failure(const struct mem_trace_event *event)
{
    struct observation observation = { .call = *event };

    ledger_count_failure();
    observation_begin(&observation, observers_now());
    observation_end(&observation, &observation.call);
}

static void *refuse(const struct call *call)
{
    const struct mem_trace_event event = event_of(call);

    if (call->form != FORM_NEW) /* new_delete.c reports it */
        observe_failure(&event);
    errno = ENOMEM;
    return NULL;
}

struct old_block {
    struct sample_taken taken;
    bool is_taken;
    int64_t live_bytes; /* bytes that it takes, if they are counted */
};

static bool is_live_counted(void)
{
    return (observers_now() & OBSERVER_BIT(live_bytes)) != 0;
}

static void end_old(const struct call *call, const struct old_block *old,
                    const void *block)
{
    struct sample_taken taken = old->taken;

    if (!old->is_taken)
        return;
    taken.is_replaced = true;
    if (block != NULL || call->size == 0)
        countdown_retire(&taken);
    else
        countdown_put_back(&old->taken);
}

/*
 * Return true if there can be memory for the block. Callbacks are not called
 * for a request larger than the address space, or than the kernel would map
 * now.
 */
static bool may_be_had(const struct call *call)
{
    size_t held = real.malloc_usable_size(call->with.old);
    size_t more = call->size > held ? call->size - held : 0;
    long probe;

    if (more < LARGE || more >= ADDRESS_LIMIT)
        return more < LARGE;
    probe = raw_mmap(NULL, more, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw_failed(probe))
        return false;
    raw_munmap((void *)probe, more);
    return true;
}

/* Return true for a realloc with clients that may refuse: they are asked first,
   as a refusal must leave the old block. */
static bool is_announced(const struct call *call)
{
    return resizes(call) && call->of.resize == NULL && call->with.old != NULL &&
           call->size != 0 && countdown_may_refuse() && may_be_had(call);
}

/* Notify clients after the call. Return false to give the block back. */
static bool tell_clients(struct counted_thread *thread,
                         const struct counted_block *counted)
{
    if (counted->announcement != NULL)
        countdown_finish(thread, counted);
    else if (counted->block == NULL)
        countdown_fail(thread, counted->size);
    else
        return countdown_count(thread, counted);
    return true;
}

/* Count held bytes. Notified clients check the limits themselves. */
static void add_live(const struct call *call, const struct old_block *old,
                     const void *block, bool are_told)
{
    if (!is_live_counted() || (block == NULL && call->size != 0))
        return;
    if (!live_bytes_pass(live_bytes_of((void *)block) - old->live_bytes) &&
        !are_told)
        limits_add_live(0);
}

static void *perform_and_count(const struct call *call, struct old_block *old,
                               struct counted_thread *thread,
                               struct counted_block *counted)
{
    void *made =
        perform_and_tell(call, observers_now() & ~OBSERVER_BIT(live_bytes));
    int kept = errno;

    counted->block = made;
    if (UNLIKELY(counting_wraps(counted->size) && made != NULL))
        counted->size = real.malloc_usable_size(made); /* its pages wrapped */
    if (thread == NULL && made != NULL && countdown_has(COUNTDOWN_SAMPLES))
        process_count(LEDGER_COUNT_lost_allocations, 1);
    end_old(call, old, counted->block);
    add_live(call, old, counted->block, thread != NULL);
    if (thread != NULL && !tell_clients(thread, counted)) {
        if (!resizes(call) || call->with.old == NULL) {
            free_and_tell(counted->block, call->caller, false);
            return refuse(call);
        }
        thread->allocated +=
            counted->size; /* the old block is gone: too late */
    }
    errno = kept;
    return made;
}

static void *ask_and_perform(const struct call *call,
                             const struct unwind_origin *origin)
{
    struct counted_thread *thread = countdown_thread();
    struct counted_block counted = { .size = bytes_of(call),
                                     .origin = origin,
                                     .caller = call->caller };
    struct counted_announcement announcement;
    struct old_block old = { .is_taken = false };
    int kept = errno;

    if (resizes(call) && is_live_counted())
        old.live_bytes = live_bytes_of(call->with.old);
    if (thread != NULL)
        thread->stack = call_stacks_pointer(origin, call->caller);
    if (thread != NULL && !frees(call) &&
        !countdown_allows(thread, counted.size, (size_t)old.live_bytes))
        return refuse(call);
    old.is_taken = resizes(call) && block_filter_may_have(call->with.old) &&
                   countdown_take(call->with.old, &old.taken);
    if (thread != NULL && is_announced(call)) {
        announcement = (struct counted_announcement){ 0 };
        counted.announcement = &announcement;
        if (!countdown_count(thread, &counted)) {
            end_old(call, &old, NULL);
            return refuse(call);
        }
        errno = kept;
    }
    return perform_and_count(call, &old, thread, &counted);
}

/* Call without limits for the loader: it ends the process if it gets no memory
   for a thread's words. */
static void *ask_unless_loader(const struct call *call,
                               const struct unwind_origin *origin)
{
    bool is_loader =
        countdown_has(COUNTDOWN_LIMITS) && modules_is_loader(call->caller);
    void *made;

    if (is_loader)
        limits_spare(1);
    made = ask_and_perform(call, origin);
    if (is_loader)
        limits_spare(-1);
    return made;
}

/*
 * Notify clients. Jumped to with the words of the call: the registers, which
 * this saves, are still the program's, so that its stack can be walked from
 * there.
 */
void *observe_due(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d,
                  uintptr_t e);

void *observe_due_from(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d,
                       uintptr_t e, const struct unwind_origin *origin)
    __attribute__((used));

void *observe_due_from(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d,
                       uintptr_t e, const struct unwind_origin *origin)
{
    const uintptr_t words[CALL_WORDS] = { a, b, c, d, e };
    struct call call;

    __builtin_memcpy(&call, words, sizeof call);
    return ask_unless_loader(&call, origin);
}

ORIGIN_HERE(observe_due, observe_due_from, r9);

/* Return true if a client may know this block. */
static inline bool may_be_known(const void *block)
{
    return block_filter_may_have(block) && block_filter_confirms(block);
}

/* Follow facts that change without a call of ours. */
static NOINLINE void follow_facts(enum mode mode)
{
    if (mode == MODE_STARTING)
        start();
    else if ((mode == MODE_OFF || mode == MODE_EMPTY) && ledger_is_on())
        mode_choose();
}

INLINE enum counting pass(const struct call *call)
{
    enum mode mode = mode_now();

    if (UNLIKELY(mode != MODE_OBSERVED))
        follow_facts(mode);
    if (((resizes(call) && UNLIKELY(may_be_known(call->with.old))) ||
         UNLIKELY(counting_wraps(bytes_of(call)))) &&
        countdown_is_on())
        return COUNTING_IS_DUE;
    return counting_pass(bytes_of(call));
}

INLINE void *call_clients(const struct call *call)
{
    uintptr_t words[CALL_WORDS];

    __builtin_memcpy(words, call, sizeof words);
    return observe_due(words[0], words[1], words[2], words[3], words[4]);
}

INLINE void *perform_passed(const struct call *call, enum counting counting)
{
    void *made = perform_and_tell(call, observers_now());

    if (UNLIKELY(made == NULL) && counting == COUNTING_PASSED)
        counting_fail(bytes_of(call));
    return made;
}

/* Like perform_passed(), not inlined: for rare forms. */
static NOINLINE void *perform_rare(const struct call *call,
                                   enum counting counting)
{
    return perform_passed(call, counting);
}

/*
 * Define a function NAME that observes a call of this form, by perform_passed
 * or perform_rare. The part for calls without a due client is a separate
 * function: it has locals whose addresses escape, and with those no compiler
 * would jump to observe_due().
 */
#define LIST(...) __VA_ARGS__
#define OBSERVE(name, perform, parameters, arguments, ...)                  \
    static NOINLINE void *name##_passed(parameters, enum counting counting) \
    {                                                                       \
        const struct call call = { __VA_ARGS__ };                           \
                                                                            \
        return perform(&call, counting);                                    \
    }                                                                       \
                                                                            \
    HIDDEN void *name(parameters)                                           \
    {                                                                       \
        const struct call call = { __VA_ARGS__ };                           \
        enum counting counting = pass(&call);                               \
                                                                            \
        return UNLIKELY(counting == COUNTING_IS_DUE)                        \
                   ? call_clients(&call)                                    \
                   : name##_passed(arguments, counting);                    \
    }

/* Jumped to by entry points: CALLER is the program. */
OBSERVE(observe_malloc, perform_passed, LIST(size_t size), LIST(size),
        .form = FORM_BY_SIZE, .of.by_size = real.malloc, .size = size,
        .caller = CALLER)
OBSERVE(observe_calloc, perform_rare, LIST(size_t count, size_t size),
        LIST(count, size), .form = FORM_CALLOC, .of.count = count, .size = size,
        .caller = CALLER)
OBSERVE(observe_realloc, perform_passed, LIST(void *block, size_t size),
        LIST(block, size), .form = FORM_REALLOC, .with.old = block,
        .size = size, .caller = CALLER)

OBSERVE(observe_by_size, perform_rare,
        LIST(observe_by_size_fn *allocate, size_t size, uint32_t site,
             uintptr_t caller),
        LIST(allocate, size, site, caller), .form = FORM_BY_SIZE, .site = site,
        .of.by_size = allocate, .size = size, .caller = caller)
OBSERVE(observe_aligned, perform_rare,
        LIST(observe_aligned_fn *allocate, size_t alignment, size_t size,
             uint32_t site, uintptr_t caller),
        LIST(allocate, alignment, size, site, caller), .form = FORM_ALIGNED,
        .site = site, .of.by_alignment = allocate, .with.alignment = alignment,
        .size = size, .caller = caller)
OBSERVE(observe_resized, perform_rare,
        LIST(observe_resize_fn *resize, void *block, size_t size,
             uint32_t beside, uintptr_t caller),
        LIST(resize, block, size, beside, caller), .form = FORM_RESIZE,
        .site = beside, .of.resize = resize, .with.old = block, .size = size,
        .caller = caller)
OBSERVE(observe_new, perform_rare,
        LIST(observe_aligned_fn *allocate, size_t alignment, size_t size,
             uintptr_t caller),
        LIST(allocate, alignment, size, caller), .form = FORM_NEW,
        .of.by_alignment = allocate, .with.alignment = alignment, .size = size,
        .caller = caller)

OBSERVE(observe_tagged_zeroed, perform_rare,
        LIST(size_t count, size_t size, uint32_t site, uintptr_t caller),
        LIST(count, size, site, caller), .form = FORM_CALLOC, .site = site,
        .of.count = count, .size = size, .caller = caller)
OBSERVE(observe_tagged_resize, perform_rare,
        LIST(void *block, size_t size, uint32_t site, uintptr_t caller),
        LIST(block, size, site, caller), .form = FORM_REALLOC, .site = site,
        .with.old = block, .size = size, .caller = caller)

/* Allocate; leave the error or 0 in errno. */
static void *posix_aligned(size_t alignment, size_t size)
{
    void *block = NULL;

    errno = real.posix_memalign(&block, alignment, size);
    return errno == 0 ? block : NULL;
}

/* The program must not see a block that was given back. */
int observe_posix_memalign(observe_aligned_fn *allocate, void **where,
                           size_t alignment, size_t size, uintptr_t caller)
{
    int kept = errno;
    void *block = observe_aligned(allocate != NULL ? allocate : posix_aligned,
                                  alignment, size, 0, caller);
    int error = block == NULL ? errno : 0;

    errno = kept;
    if (error == 0)
        *where = block;
    return error;
}

void *observe_tagged(size_t alignment, size_t size, uint32_t site,
                     uintptr_t caller)
{
    return alignment == 0
               ? observe_by_size(real.malloc, size, site, caller)
               : observe_aligned(real.memalign, alignment, size, site, caller);
}

static NOINLINE void forget(void *block)
{
    struct sample_taken taken;
    int kept = errno;

    if (!countdown_is_on() || !countdown_take(block, &taken))
        return;
    countdown_retire(&taken);
    errno = kept;
}

INLINE void observed_free(void *block, uintptr_t caller, bool is_others)
{
    /* A forked child that begins with a free has its parent's samples. */
    if (UNLIKELY(mode_now() == MODE_STARTING))
        start();
    if (UNLIKELY(may_be_known(block)))
        forget(block);
    free_and_tell(block, caller, is_others);
}

void observe_free(void *block)
{
    observed_free(block, CALLER, false);
}

void observe_released(void *block, uintptr_t caller)
{
    observed_free(block, caller, true);
}
