/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.c - limits as a client of the countdown, and the public functions
 *
 * This file is long because it has sampled scopes, the countdown's client, the
 * public functions, and budgets of TALLY_LIMITS.
 */
#include "sampling/limits/limits.h"

#include <string.h>

#include "core/base/console_line.h"
#include "format/cursor.h"
#include "tally/port.h"

/* Error numbers, which core lacks. */
enum {
    ERROR_NO_MEMORY = -12,
    ERROR_INVALID = -22,
    ERROR_NOT_SUPPORTED = -95,
};

/* In words: longest mean distance of samples. */
#define LONGEST_PERIOD 0x1p48

static uint64_t period; /* mean words between samples; 0: exact */

static struct limits_thread *scopes_of(struct counted_thread *thread)
{
    struct limits_room *room = limits_room_of(thread);

    room->scopes.allocated = thread->allocated + room->custom;
    return &room->scopes;
}

uint64_t limits_period_of(double rate)
{
    return rate * LONGEST_PERIOD >= 1 ? (uint64_t)(1 / rate + 0.5)
                                      : (uint64_t)LONGEST_PERIOD;
}

uint64_t limits_period(void)
{
    return __atomic_load_n(&period, __ATOMIC_RELAXED);
}

enum { SEED = 42 };

static bool is_sampling(const struct limits_room *room)
{
    return room->period != 0 && room->shared == 0;
}

/* Return the words allocated since the sampler was last called, headers
   included. */
static uint64_t trials_since(const struct limits_room *room,
                             const struct counted_thread *thread)
{
    return (countdown_position(thread) - room->position) / COUNTDOWN_WORD;
}

/* Sample one in `wanted` words from now on; 0: none. */
static void start_samples(struct counted_thread *thread, uint64_t wanted)
{
    struct limits_room *room = limits_room_of(thread);

    if (room->period == 0)
        sampler_seed(&room->sampler, SEED, thread->number);
    room->period = wanted;
    room->position = countdown_position(thread);
    if (wanted != 0)
        sampler_start(&room->sampler, 1 / (double)wanted);
}

/* Sample a block; return true if its samples are within limits. */
static bool sample(struct counted_thread *thread,
                   const struct counted_block *counted)
{
    struct limits_room *room = limits_room_of(thread);
    uint64_t samples;

    if (!is_sampling(room))
        return true;
    samples = sampler_take(&room->sampler, trials_since(room, thread));
    room->position = countdown_position(thread);
    return samples == 0 || counted->is_suballocated ||
           limits_thread_sample(&room->scopes, samples, room->period);
}

/* Skip the trials so far, none of which succeeded. */
static void skip(struct limits_room *room, const struct counted_thread *thread)
{
    sampler_skip(&room->sampler, trials_since(room, thread));
    room->position = countdown_position(thread);
}

/* A request has failed. Its words were trials: countdown.h. */
static void fail(struct counted_thread *thread, size_t size)
{
    struct limits_room *room = limits_room_of(thread);

    if (!is_sampling(room))
        return;
    skip(room, thread);
    sampler_skip(&room->sampler, (uint64_t)size / COUNTDOWN_WORD +
                                     (size % COUNTDOWN_WORD != 0) + 1);
}

void limits_share(struct counted_thread *thread, double rate)
{
    struct limits_room *room = limits_room_of(thread);
    uint64_t shared = rate != 0 ? limits_period_of(rate) : 0;

    room->shared = shared <= room->period ? shared : 0;
    room->exact =
        room->shared != 0 && rate != 1 / (double)shared ? 1 / rate : 0;
}

bool limits_sampled(struct counted_thread *thread, uint64_t samples)
{
    struct limits_room *room = limits_room_of(thread);
    uint64_t one_in = room->shared;

    if (one_in == 0)
        return true;
    if (room->exact != 0) { /* whole words; the rest is carried over */
        double words = (double)samples * room->exact + room->rest;

        samples = (uint64_t)words;
        one_in = 1;
        room->rest = words - (double)samples;
    }
    return limits_thread_sample(&room->scopes, samples, one_in);
}

void limits_charge(struct counted_thread *thread, size_t bytes,
                   uint64_t samples)
{
    struct limits_room *room = limits_room_of(thread);

    if (is_sampling(room)) {
        skip(room, thread);
        samples =
            sampler_take(&room->sampler, (uint64_t)bytes / COUNTDOWN_WORD +
                                             (bytes % COUNTDOWN_WORD != 0));
        if (samples != 0)
            limits_thread_sample(&room->scopes, samples, room->period);
    } else if (samples != 0) {
        limits_sampled(thread, samples);
    }
    for (uint64_t step; bytes != 0; bytes -= step) {
        step = bytes < LIMITS_CHARGE ? bytes : LIMITS_CHARGE;
        room->custom += step;
        limits_thread_update(scopes_of(thread));
    }
}

static void follow(struct counted_thread *thread)
{
    struct limits_room *room = limits_room_of(thread);
    uint64_t wanted = limits_period();

    if (limits_live_is_counted() && room->scopes.live == NULL)
        room->scopes.live = limits_live_take();
    if (room->shared != 0)
        room->position = countdown_position(thread);
    room->shared = 0;
    if (room->period == wanted ||
        (wanted == 0 && limits_thread_is_sampled(&room->scopes)))
        return;
    start_samples(thread, wanted);
}

static uint64_t distance(struct counted_thread *thread)
{
    struct limits_room *room = limits_room_of(thread);
    uint64_t nearest = limits_thread_distance(scopes_of(thread));

    thread->polled = room->scopes.polled;
    if (is_sampling(room)) {
        uint64_t trials = trials_since(room, thread);
        uint64_t next =
            room->sampler.next > trials ? room->sampler.next - trials : 0;

        if (next < nearest / COUNTDOWN_WORD)
            nearest = next * COUNTDOWN_WORD;
    }
    return nearest < COUNTDOWN_NEVER ? nearest : COUNTDOWN_NEVER;
}

/* Call the callbacks of reached thresholds, in a thread that has entered; also
   of those that a refused block would have reached. */
static void call_thresholds(struct counted_thread *thread, size_t size,
                            size_t before)
{
    struct limit_threshold reached;

    scopes_of(thread)->round++;
    while (!limits_are_masked(thread) &&
           countdown_is_process(thread->process) &&
           limits_thread_take_threshold(scopes_of(thread), size, before,
                                        &reached)) {
        int error = countdown_begin_callback(thread);

        reached.callback(reached.context, reached.bytes);
        countdown_end_callback(thread, error);
    }
}

/* The slow path knows the extent of the program's stack. */
static bool drop(struct counted_thread *thread, bool looks_into)
{
    return limits_thread_drop(scopes_of(thread), thread->stack, looks_into);
}

static bool admits(struct counted_thread *thread, size_t size, size_t before)
{
    return limits_thread_admits(scopes_of(thread), size, before);
}

static bool allows(struct counted_thread *thread, size_t size, size_t before)
{
    drop(thread, false);
    if (admits(thread, size, before) ||
        (drop(thread, true) && admits(thread, size, before)))
        return true;
    if (countdown_enter(thread)) {
        call_thresholds(thread, size, before);
        countdown_leave(thread);
    }
    countdown_recall(thread); /* the slow path is due from now on */
    return false;
}

static bool count(struct counted_thread *thread,
                  const struct counted_block *counted)
{
    bool may_be = counted->announcement != NULL || sample(thread, counted);

    if (!counted->is_suballocated) {
        limits_thread_update(scopes_of(thread));
        /* A block's usable size, known only now, exceeds its requested size. */
        may_be = may_be && (counted->announcement != NULL ||
                            !limits_live_is_counted() || admits(thread, 0, 0));
    }
    call_thresholds(thread, 0, 0);
    return may_be;
}

static bool announce(struct counted_thread *thread,
                     const struct counted_block *counted)
{
    bool may_be = sample(thread, counted);

    if (!may_be)
        call_thresholds(thread, 0, 0);
    return may_be;
}

static void leave(struct counted_thread *thread)
{
    struct limits_room *room = limits_room_of(thread);

    if (room->scopes.live != NULL)
        limits_live_give(room->scopes.live);
    limits_thread_leave(scopes_of(thread));
}

static void inherit(struct counted_thread *thread,
                    const struct counted_thread *parent)
{
    const struct limits_room *before =
        (const struct limits_room *)(const void *)
            parent->rooms[COUNTDOWN_LIMITS];

    limits_room_of(thread)->custom = before->custom;
    limits_thread_inherit(scopes_of(thread), &before->scopes);
}

static const struct countdown_client client = {
    .counts = COUNTDOWN_BOTH,
    .follow = follow,
    .distance = distance,
    .allows = allows,
    .count = count,
    .announce = announce,
    .fail = fail,
    .leave = leave,
    .inherit = inherit,
};

void limits_turn_on(void)
{
    if (countdown_has(COUNTDOWN_LIMITS))
        return;
    __atomic_store_n(&limits_live.is_used, 1, __ATOMIC_RELAXED);
    countdown_lock();
    if (!countdown_has(COUNTDOWN_LIMITS))
        countdown_set_client(COUNTDOWN_LIMITS, &client);
    countdown_unlock();
}

/* Make all threads check the shared limits again. */
static void tell_all(void)
{
    countdown_lock();
    if (countdown_has(COUNTDOWN_LIMITS))
        countdown_change();
    countdown_unlock();
}

void limits_add_live(int64_t bytes)
{
    struct counted_thread *thread = countdown_thread_if_any();

    if (thread == NULL || limits_room_of(thread)->scopes.live == NULL) {
        limits_live_add(&limits_live.shared, bytes);
    } else if (!limits_pass_live(thread, bytes)) {
        limits_live_room(); /* all threads learn of it */
        limits_thread_update(scopes_of(thread));
        if (countdown_enter(thread)) {
            call_thresholds(thread, 0, 0);
            countdown_leave(thread);
        }
        countdown_recall(thread);
    }
}

/* A thread that has stopped counting, unless a client runs in it. NULL: it has
   no state, or there is no memory. */
struct entered {
    struct counted_thread *thread;
    bool is_entered;
};

static struct entered enter(void)
{
    const uint32_t *generation = &countdown_carrier.words->generation;
    struct counted_thread *thread = countdown_thread_if_any();

    if (thread == NULL ||
        thread->followed != __atomic_load_n(generation, __ATOMIC_ACQUIRE))
        thread = countdown_thread();
    if (thread == NULL)
        thread = countdown_thread_if_any();
    return (struct entered){ thread,
                             thread != NULL && countdown_enter(thread) };
}

/* Callbacks that waited for the end of a masked section run at the next
   block. */
static int leave_with(struct entered own, bool was_masked, int status)
{
    if (own.is_entered)
        countdown_leave_unarmed(own.thread);
    if (was_masked)
        countdown_recall(own.thread);
    return status;
}

static bool sees_malloc(void)
{
    return countdown_carrier.sees_malloc != NULL &&
           countdown_carrier.sees_malloc();
}

/* Count the process's live bytes, from now on for good. */
static void count_live(void)
{
    if (limits_live_is_counted())
        return;
    limits_turn_on();
    limits_live_count(tally_port_heap_held());
    tell_all();
}

static int begin(struct limit_scope *scope, const struct limit_wanted *wanted,
                 uintptr_t stack)
{
    struct limits_thread *scopes;
    struct entered own;

    if (scope == NULL ||
        (wanted->action != LIMIT_FLAG && wanted->action != LIMIT_ENOMEM) ||
        (wanted->kind == LIMIT_TOKEN && wanted->token == NULL))
        return ERROR_INVALID;
    if (!countdown_has(COUNTDOWN_LIMITS)) {
        if (!sees_malloc())
            return ERROR_NOT_SUPPORTED;
        limits_turn_on();
    }
    if (wanted->kind == LIMIT_LIVE)
        count_live();
    own = enter();
    if (own.thread == NULL)
        return ERROR_NO_MEMORY;
    scopes = scopes_of(own.thread);
    if (scopes->innermost != NULL)
        limits_thread_drop(scopes, stack, false);
    return leave_with(
        own, false,
        limits_thread_begin(scopes, scope, wanted, limits_period() != 0));
}

/* Define a function that changes scopes of the calling thread. */
#define CHANGE(name, ends_mask, change, parameters, ...)                     \
    static int name parameters                                               \
    {                                                                        \
        struct entered own = enter();                                        \
        bool is_recalled = own.thread != NULL && (ends_mask);                \
                                                                             \
        return own.thread == NULL                                            \
                   ? ERROR_INVALID                                           \
                   : leave_with(own, is_recalled,                            \
                                change(scopes_of(own.thread), __VA_ARGS__)); \
    }

CHANGE(end, limits_are_masked(own.thread), limits_thread_end,
       (struct limit_scope * scope, uint64_t *bytes_allocated), scope,
       bytes_allocated)
CHANGE(suspend, limits_are_masked(own.thread), limits_thread_suspend,
       (struct limit_scope * scope), scope)
CHANGE(on_threshold, false, limits_thread_set_threshold,
       (struct limit_scope * scope, const struct limit_threshold *threshold),
       scope, threshold)

/* Sampling may have ended while the scope was suspended. */
static int resume(struct limit_scope *scope)
{
    struct entered own = enter();
    int status;

    if (own.thread == NULL)
        return ERROR_INVALID;
    status = limits_thread_resume(scopes_of(own.thread), scope);
    if (limits_room_of(own.thread)->period == 0)
        limits_thread_count_exactly(scopes_of(own.thread));
    return leave_with(own, false, status);
}

static int interrupted(uintptr_t stack)
{
    struct counted_thread *thread = countdown_thread_if_any();

    if (thread == NULL ||
        !limits_thread_is_interrupted(scopes_of(thread), stack))
        return 0;
    countdown_recall(thread); /* malloc fails now because of a scope hit just
                                 now */
    return 1;
}

static int is_blocked(uintptr_t stack)
{
    struct counted_thread *thread = countdown_thread_if_any();

    return thread != NULL && limits_thread_is_blocked(scopes_of(thread), stack);
}

void limits_spare(int change)
{
    struct entered own = enter();

    if (own.thread == NULL)
        return;
    scopes_of(own.thread)->spared += (uint32_t)change;
    leave_with(own, false, 0);
}

static void mask(int change)
{
    struct entered own;

    if (change > 0 && sees_malloc())
        limits_turn_on();
    own = enter();
    if (own.thread == NULL)
        return;
    if (change > 0 || scopes_of(own.thread)->masks != 0)
        scopes_of(own.thread)->masks += (uint32_t)change;
    leave_with(own, change < 0, 0);
}

static void set_global(int64_t live_bytes)
{
    if (!sees_malloc())
        return;
    if (live_bytes >= 0)
        count_live();
    limits_live_limit(live_bytes);
    tell_all();
}

static void use_sampling(double sampling_rate)
{
    if (!sampler_is_rate(sampling_rate))
        return;
    __atomic_store_n(&period,
                     sampling_rate != 0 ? limits_period_of(sampling_rate) : 0,
                     __ATOMIC_RELAXED);
    tell_all();
}

/* Parse a budget with at most one unit. */
static bool read_bytes(struct cursor item, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    unsigned shift = 0;

    if (!cursor_number(&item, 10, bytes))
        return false;
    for (unsigned i = 0; units[i] != '\0' && shift == 0; i++)
        shift = cursor_byte(&item, units[i]) ? 10 * (i + 1) : 0;
    if (*bytes > UINT64_MAX >> shift)
        return false;
    *bytes <<= shift;
    return item.next == item.end;
}

uint64_t limits_budget_in(const char *text, const char *name,
                          uint64_t otherwise, unsigned *wrong)
{
    size_t length = strlen(name);
    bool is_found = length == 0;
    uint64_t bytes;

    *wrong = 0;
    for (unsigned i = 1; text != NULL && *text != '\0'; i++) {
        const char *comma = text + strcspn(text, ",");
        size_t end = strcspn(text, "=,");
        bool is_whole =
            end != 0 && text[end] == '=' &&
            read_bytes((struct cursor){ text + end + 1, comma }, &bytes);

        if (!is_whole && *wrong == 0 && *text != ',')
            *wrong = i;
        if (is_whole && !is_found && end == length &&
            strncmp(text, name, length) == 0) {
            is_found = true;
            otherwise = bytes;
        }
        text = comma + (*comma == ',');
    }
    return otherwise;
}

/* The line does not repeat the text, which may contain anything. */
static void complain(unsigned piece)
{
    static uint32_t is_said;
    struct console_line line;

    if (piece == 0 || __atomic_exchange_n(&is_said, 1, __ATOMIC_RELAXED) != 0)
        return;
    line = console_line("TALLY_LIMITS: piece ");
    console_line_add_number(&line, piece);
    console_line_add(&line, " is not NAME=BYTES, where K, M, G or T may follow "
                            "the bytes; it counts as not there");
    console_line_say(&line);
}

uint64_t limits_budget_of(const char *name, uint64_t otherwise)
{
    unsigned wrong;

    if (name == NULL || countdown_carrier.setting == NULL)
        return otherwise;
    otherwise = limits_budget_in(countdown_carrier.setting("TALLY_LIMITS"),
                                 name, otherwise, &wrong);
    complain(wrong);
    return otherwise;
}

const struct limits_calls limits_local_calls = {
    .begin = begin,
    .end = end,
    .on_threshold = on_threshold,
    .interrupted = interrupted,
    .mask = mask,
    .set_global = set_global,
    .use_sampling = use_sampling,
    .budget = limits_budget_of,
    .suspend = suspend,
    .resume = resume,
    .is_blocked = is_blocked,
};

const struct limits_calls *limits_calls = &limits_local_calls;

/* Stack pointer of a function that the program calls. */
#define STACK() ((uintptr_t)__builtin_frame_address(0))
#define BEGIN(scope, kind_of, ...)                                       \
    limits_calls->begin(scope,                                           \
                        &(const struct limit_wanted){ .kind = (kind_of), \
                                                      .action = action,  \
                                                      __VA_ARGS__ },     \
                        STACK())

int limits_begin_global(struct limit_scope *scope, enum limit_action action)
{
    return BEGIN(scope, LIMIT_GLOBAL, .token = 0);
}

int limits_begin_allocation(struct limit_scope *scope, uint64_t bytes,
                            enum limit_action action)
{
    return BEGIN(scope, LIMIT_ALLOCATION, .bytes = bytes);
}

int limits_begin_live(struct limit_scope *scope, uint64_t bytes,
                      enum limit_action action)
{
    return BEGIN(scope, LIMIT_LIVE, .bytes = bytes);
}

int limits_begin_token(struct limit_scope *scope, struct limit_token *token,
                       enum limit_action action)
{
    return BEGIN(scope, LIMIT_TOKEN, .token = token);
}

int limits_begin_shared(struct limit_scope *scope, uint64_t bytes,
                        enum limit_action action)
{
    return BEGIN(scope, LIMIT_SHARED, .bytes = bytes);
}

int limits_join(struct limit_scope *scope, const struct limit_scope *shared,
                enum limit_action action)
{
    return shared == 0 || shared == scope
               ? ERROR_INVALID
               : BEGIN(scope, LIMIT_SHARED, .from = shared);
}

int limits_begin_mask(struct limit_scope *scope)
{
    const enum limit_action action = LIMIT_FLAG;

    return BEGIN(scope, LIMIT_MASK, .token = 0);
}

int limits_on_threshold(struct limit_scope *scope, uint64_t bytes,
                        void (*callback)(void *context, uint64_t bytes),
                        void *context)
{
    const struct limit_threshold threshold = { bytes, callback, context };

    return limits_calls->on_threshold(scope, &threshold);
}

#define PUBLIC(type, public, name, parameters, arguments) \
    type public parameters                                \
    {                                                     \
        return limits_calls->name arguments;              \
    }

PUBLIC(int, limits_end, end,
       (struct limit_scope * scope, uint64_t *bytes_allocated),
       (scope, bytes_allocated))
PUBLIC(int, limits_suspend, suspend, (struct limit_scope * scope), (scope))
PUBLIC(int, limits_resume, resume, (struct limit_scope * scope), (scope))
PUBLIC(int, limits_is_blocked, is_blocked, (void), (STACK()))
PUBLIC(int, limits_interrupted, interrupted, (void), (STACK()))
PUBLIC(void, limits_mask_begin, mask, (void), (1))
PUBLIC(void, limits_mask_end, mask, (void), (-1))
PUBLIC(void, limits_set_global, set_global, (int64_t live_bytes), (live_bytes))
PUBLIC(void, limits_use_sampling, use_sampling, (double rate), (rate))
PUBLIC(uint64_t, limits_budget, budget, (const char *name, uint64_t otherwise),
       (name, otherwise))
