/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_delete.c - C++ operator new and delete, all forms
 *
 * The site of a new expression is its own place in the program, not the inside
 * of the C++ library. So new asks the real malloc itself, with that place as
 * the caller, and does with failure what the library does: its new_handler, its
 * exception. Delete is free.
 *
 * That is right while the operators that the program would have had without us
 * are the C++ library's, or the allocator's. When others replaced them, we
 * only call the replacement: its own calls of malloc are recorded.
 *
 * A thread that is inside the library's nothrow new is in a small table: that
 * is too rare for a word in each thread. Only when the table is full, the
 * library counts as the caller.
 */
#define _GNU_SOURCE
#include "recorder/calls/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "ledger/space/modules.h"
#include "ports/posix/loaded_files.h"
#include "ports/posix/raw_calls.h"
#include "recorder/calls/counting.h"
#include "recorder/calls/observe.h"

enum { INSIDE_LIMIT = 16 };

enum owner { OWNER_UNKNOWN, OWNER_LIBRARY, OWNER_OTHER };

/* Of all forms; found before main. */
static uint32_t owner = OWNER_UNKNOWN;

/* From the start, and so for good. */
static bool has_library;

/*
 * One form: its mangled name, and the definition behind ours. NULL: there was
 * none before main, and what a plugin brings later leads to malloc anyway.
 */
struct form {
    const char *name;
    void *next;
};

static bool is_library(const char *path)
{
    return path != NULL && (strstr(path, "/libstdc++.so") != NULL ||
                            strstr(path, "/libc++") != NULL);
}

typedef void handler_fn(void);

/* NULL: no C++ library, or not one that we know. */
static handler_fn *(*get_handler)(void);
static void (*throw_bad_alloc)(void);

static struct {
    uint32_t thread; /* 0: free */
    uintptr_t caller;
} inside[INSIDE_LIMIT];
static uint32_t inside_count;

static void find_handlers(void)
{
    void *getter = loaded_symbols_among("_ZSt15get_new_handlerv", is_library);
    void *thrower =
        loaded_symbols_among("_ZSt17__throw_bad_allocv", is_library);

    memcpy(&get_handler, &getter, sizeof getter);
    memcpy(&throw_bad_alloc, &thrower, sizeof thrower);
}

/*
 * Whether a failure can be brought about here, so that its place is the
 * program's; else the library's own operator new has to fail. What a handler
 * may throw in a nothrow new, only the library can catch.
 */
static bool can_fail_here(bool is_nothrow)
{
    if (get_handler == NULL || throw_bad_alloc == NULL)
        return false;
    return !is_nothrow || get_handler() == NULL;
}

/*
 * A throwing form has failed: returns when there is to be another try, or
 * throws. A size that overflows when rounded up fails without asking a handler.
 */
static void run_handler(size_t size, size_t alignment)
{
    bool is_beyond_all = alignment != 0 && size > SIZE_MAX - alignment + 1;
    handler_fn *handler = get_handler();

    if (handler == NULL || is_beyond_all)
        throw_bad_alloc();
    else
        handler();
}

/*
 * A nothrow new of this thread, called at `caller`, is the library's from here
 * to leave_library(); it asks for the memory by an operator new that throws.
 */
static void enter_library(uintptr_t caller)
{
    uint32_t self = (uint32_t)raw_gettid();

    for (unsigned i = 0; i < INSIDE_LIMIT; i++) {
        uint32_t none = 0;

        if (!__atomic_compare_exchange_n(&inside[i].thread, &none, self, false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        inside[i].caller = caller;
        __atomic_fetch_add(&inside_count, 1, __ATOMIC_RELAXED);
        return;
    }
}

static int find_self(void)
{
    uint32_t self;

    if (__atomic_load_n(&inside_count, __ATOMIC_RELAXED) == 0)
        return -1;
    self = (uint32_t)raw_gettid();
    for (int i = INSIDE_LIMIT - 1; i >= 0; i--) {
        if (__atomic_load_n(&inside[i].thread, __ATOMIC_RELAXED) == self)
            return i;
    }
    return -1;
}

static void leave_library(void)
{
    int found = find_self();

    if (found < 0)
        return;
    __atomic_fetch_sub(&inside_count, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&inside[found].thread, 0, __ATOMIC_RELAXED);
}

/*
 * Where the program called the new that is called at `caller`. What the handler
 * itself asks for is its own.
 */
static uintptr_t program_caller(uintptr_t caller)
{
    int found = find_self();
    void *in_library;

    memcpy(&in_library, &throw_bad_alloc, sizeof in_library);
    return found >= 0 && in_library != NULL &&
                   modules_are_same((const void *)caller, in_library)
               ? inside[found].caller
               : caller;
}

static bool is_ours(struct form *form)
{
    if (owner == OWNER_UNKNOWN)
        new_delete_find();
    return form->next == NULL || owner == OWNER_LIBRARY;
}

/* A plugin may have loaded the library, and unloaded it again. */
static void find_late(struct form *form)
{
    if (has_library)
        return;
    form->next = loaded_symbols_among(form->name, is_library);
    find_handlers();
}

static bool is_nothrow(const struct form *form)
{
    return strstr(form->name, "nothrow") != NULL;
}

static bool is_failure_ours(struct form *form)
{
    find_late(form);
    return form->next == NULL || can_fail_here(is_nothrow(form));
}

/* libstdc++ asks for at least one byte, and for whole multiples. */
static inline void *plain(size_t alignment, size_t size)
{
    (void)alignment;
    return real.malloc(size == 0 ? 1 : size);
}

static inline void *aligned(size_t alignment, size_t size)
{
    size_t rounded = (size == 0 ? 1 : size) + alignment - 1;

    if (rounded < size)
        return NULL;
    return real.aligned_alloc(alignment, rounded & ~(alignment - 1));
}

/* In the modes of lean.c; NULL: in another way. */
static inline void *lean_new(observe_aligned_fn *allocate, size_t alignment,
                             size_t size)
{
    enum mode mode = mode_now();
    void *block;

    if (mode == MODE_IDLE)
        return allocate(alignment, size);
    if (mode < MODE_WORDS || mode > MODE_BOTH ||
        counting_pass(size) != COUNTING_PASSED)
        return NULL;
    block = allocate(alignment, size);
    return LIKELY(block != NULL) ? block : counting_fail(size);
}

/*
 * A new in all cases but the usual one. False: the block, or its absence, is
 * `next`'s to bring about.
 */
static bool new_slow(struct form *form, observe_aligned_fn *allocate,
                     size_t alignment, size_t size, uintptr_t caller,
                     void **block)
{
    if (!is_ours(form))
        return false;
    caller = program_caller(caller);
    for (;;) {
        *block = observe_new(allocate, alignment, size, caller);
        if (*block != NULL)
            return true;
        if (!is_failure_ours(form)) {
            if (is_nothrow(form))
                enter_library(caller);
            return false;
        }
        observe_failure(MEM_TRACE_MALLOC, NULL, size, caller);
        if (form->next == NULL || is_nothrow(form))
            return true;
        run_handler(size, alignment);
    }
}

/* The forms of new: arguments of each, and how it asks for memory. */
#define DEFINE_NEW(symbol, parameters, arguments, allocate, size, alignment) \
    static struct form form_##symbol = { #symbol, NULL };                    \
    EXPORT void *symbol parameters;                                          \
    void *symbol parameters                                                  \
    {                                                                        \
        void *(*next)parameters;                                             \
        void *block;                                                         \
                                                                             \
        if (LIKELY(owner == OWNER_LIBRARY && mode_records())) {              \
            block = allocate(alignment, size);                               \
            if (LIKELY(block != NULL))                                       \
                return record_alloc(block, size, CALLER);                    \
        } else if (owner == OWNER_LIBRARY) {                                 \
            block = lean_new(allocate, alignment, size);                     \
            if (LIKELY(block != NULL))                                       \
                return block;                                                \
        }                                                                    \
        if (new_slow(&form_##symbol, allocate, alignment, size, CALLER,      \
                     &block))                                                \
            return block;                                                    \
        memcpy(&next, &form_##symbol.next, sizeof next);                     \
        if (__builtin_strstr(#symbol, "nothrow") == NULL)                    \
            return next arguments;                                           \
        block = next arguments;                                              \
        leave_library();                                                     \
        return block;                                                        \
    }

/* new and new[], alike but for one letter. */
#define DEFINE_NEWS(suffix, ...)          \
    DEFINE_NEW(_Znw##suffix, __VA_ARGS__) \
    DEFINE_NEW(_Zna##suffix, __VA_ARGS__)

DEFINE_NEWS(m, (size_t size), (size), plain, size, 0)
DEFINE_NEWS(mRKSt9nothrow_t, (size_t size, const void *nothrow),
            (size, nothrow), plain, size, 0)
DEFINE_NEWS(mSt11align_val_t, (size_t size, size_t alignment),
            (size, alignment), aligned, size, alignment)
DEFINE_NEWS(mSt11align_val_tRKSt9nothrow_t,
            (size_t size, size_t alignment, const void *nothrow),
            (size, alignment, nothrow), aligned, size, alignment)

#define DEFINE_DELETE(symbol, parameters, arguments)         \
    static struct form form_##symbol = { #symbol, NULL };    \
    EXPORT void symbol parameters;                           \
    void symbol parameters                                   \
    {                                                        \
        void(*next) parameters;                              \
                                                             \
        if (UNLIKELY(!is_ours(&form_##symbol))) {            \
            memcpy(&next, &form_##symbol.next, sizeof next); \
            next arguments;                                  \
        } else {                                             \
            release(block);                                  \
        }                                                    \
    }

#define DEFINE_DELETES(suffix, ...)          \
    DEFINE_DELETE(_Zdl##suffix, __VA_ARGS__) \
    DEFINE_DELETE(_Zda##suffix, __VA_ARGS__)

DEFINE_DELETES(Pv, (void *block), (block))
DEFINE_DELETES(Pvm, (void *block, size_t size), (block, size))
DEFINE_DELETES(PvRKSt9nothrow_t, (void *block, const void *nothrow),
               (block, nothrow))
DEFINE_DELETES(PvSt11align_val_t, (void *block, size_t alignment),
               (block, alignment))
DEFINE_DELETES(PvmSt11align_val_t, (void *block, size_t size, size_t alignment),
               (block, size, alignment))
DEFINE_DELETES(PvSt11align_val_tRKSt9nothrow_t,
               (void *block, size_t alignment, const void *nothrow),
               (block, alignment, nothrow))

/*
 * A program that replaces one form replaces all that lead to it: the library's
 * array, sized and nothrow forms call the plain ones. So all forms are ours, or
 * none, and these are asked, in front of us and behind us.
 */
static const struct form *const base_forms[] = {
    &form__Znwm,
    &form__Znam,
    &form__ZdlPv,
    &form__ZdaPv,
    &form__ZnwmSt11align_val_t,
    &form__ZnamSt11align_val_t,
    &form__ZdlPvSt11align_val_t,
    &form__ZdaPvSt11align_val_t,
};

static bool is_untouched(const struct form *form)
{
    const void *first = loaded_symbols_find(form->name);
    void *allocator;

    memcpy(&allocator, &real.malloc, sizeof allocator);
    return (first == NULL || modules_are_same(first, &owner)) &&
           (form->next == NULL || is_library(modules_path_of(form->next)) ||
            modules_are_same(form->next, allocator));
}

static enum owner find_owner(void)
{
    for (size_t i = 0; i < sizeof base_forms / sizeof base_forms[0]; i++) {
        if (!is_untouched(base_forms[i]))
            return OWNER_OTHER;
    }
    return OWNER_LIBRARY;
}

#define NEXT(symbol)                 \
    {                                \
#symbol, &form_##symbol.next \
    }
#define NEW(suffix)    NEXT(_Znw##suffix), NEXT(_Zna##suffix)
#define DELETE(suffix) NEXT(_Zdl##suffix), NEXT(_Zda##suffix)

void new_delete_find(void)
{
    static const struct loaded_symbol next[] = {
        NEW(m),
        NEW(mRKSt9nothrow_t),
        NEW(mSt11align_val_t),
        NEW(mSt11align_val_tRKSt9nothrow_t),
        DELETE(Pv),
        DELETE(Pvm),
        DELETE(PvRKSt9nothrow_t),
        DELETE(PvSt11align_val_t),
        DELETE(PvmSt11align_val_t),
        DELETE(PvSt11align_val_tRKSt9nothrow_t),
    };

    loaded_symbols_find_all(next, sizeof next / sizeof next[0], &owner, NULL);
    has_library = form__Znwm.next != NULL;
    if (has_library)
        find_handlers();
    owner = find_owner();
}
