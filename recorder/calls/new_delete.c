/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_delete.c - C++ operator new and delete, all forms
 *
 * The site of a new expression is its own place in the program, not inside the
 * C++ library. So new calls the real malloc itself, with that place as the
 * caller, and handles failure as the library does: its new_handler, its
 * exception. Delete is free.
 *
 * This is right while the operators behind ours are the C++ library's or the
 * allocator's. If other code replaced them, we only call the replacement: its
 * own calls of malloc are recorded.
 */
#define _GNU_SOURCE
#include "recorder/calls/recording.h"

#include <link.h>

#include "ports/posix/loaded_files.h"
#include "recorder/calls/counting.h"
#include "recorder/calls/observe.h"

enum owner { OWNER_UNKNOWN, OWNER_LIBRARY, OWNER_OTHER };

/* owner of all forms; found before main */
static uint32_t owner = OWNER_UNKNOWN;

/* there from the start, and so for good */
static bool has_library;

/* calls of the executable's operators, which are its allocator's, lead here */
static bool are_patched;

/* One form: its mangled name, and the definition behind ours. NULL: there was
   none before main, and a plugin's would call malloc anyway. */
struct form {
    const char *name;
    void *next;
    void *own;    /* ours, if the name leads to the executable's */
    bool is_base; /* other forms call it: is_untouched() */
};

static bool is_library(const char *path)
{
    return path != NULL && (strstr(path, "/libstdc++.so") != NULL ||
                            strstr(path, "/libc++") != NULL);
}

typedef void handler_fn(void);

/* NULL: no C++ library, or an unknown one */
static handler_fn *(*get_handler)(void);
static void (*throw_bad_alloc)(void);

static void find_handlers(void)
{
    void *getter = loaded_symbols_among("_ZSt15get_new_handlerv", is_library);
    void *thrower =
        loaded_symbols_among("_ZSt17__throw_bad_allocv", is_library);

    memcpy(&get_handler, &getter, sizeof getter);
    memcpy(&throw_bad_alloc, &thrower, sizeof thrower);
}

/*
 * Return true if this code can fail in the library's way, at the program's
 * place; else the library's own operator new has to fail. Only the library can
 * catch an exception of a handler in a nothrow new.
 */
static bool can_fail_here(bool is_nothrow)
{
    if (get_handler == NULL || throw_bad_alloc == NULL)
        return false;
    return !is_nothrow || get_handler() == NULL;
}

/* Handle the failure of a throwing form: return to try again, or throw. A size
   that overflows when rounded up fails without a handler. */
static void run_handler(size_t size, size_t alignment)
{
    bool is_beyond_all = alignment != 0 && size > SIZE_MAX - alignment + 1;
    handler_fn *handler = get_handler();

    if (handler == NULL || is_beyond_all)
        throw_bad_alloc();
    else
        handler();
}

static uintptr_t outer_caller(void)
{
    uintptr_t caller = 0;

    memcpy(&caller, recorder_thread.new_caller,
           sizeof recorder_thread.new_caller);
    return caller;
}

/* Store 48 bits, the size of addresses on the supported processors. */
static void set_outer_caller(uintptr_t caller)
{
    memcpy(recorder_thread.new_caller, &caller,
           sizeof recorder_thread.new_caller);
}

/*
 * Return the program's call of the new that is called at `caller`: the
 * library's nothrow new calls a throwing one. The handler's own requests are
 * its own.
 */
static uintptr_t program_caller(uintptr_t caller)
{
    uintptr_t outer = outer_caller();
    void *in_library;

    memcpy(&in_library, &throw_bad_alloc, sizeof in_library);
    return outer != 0 && in_library != NULL &&
                   modules_are_same((const void *)caller, in_library)
               ? outer
               : caller;
}

static bool is_ours(struct form *form)
{
    if (owner == OWNER_UNKNOWN)
        new_delete_find();
    return form->next == NULL || owner == OWNER_LIBRARY;
}

static bool is_nothrow(const struct form *form)
{
    return strstr(form->name, "nothrow") != NULL;
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

/* Allocate in the modes of mode_entries.c; return NULL in all others. */
static inline void *new_by_mode(observe_aligned_fn *allocate, size_t alignment,
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

/* Handle all other cases of new. Return false if `next` must return the block
   or fail. */
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
        if (!has_library) { /* a plugin may have loaded and unloaded it */
            form->next = loaded_symbols_among(form->name, is_library);
            find_handlers();
        }
        if (form->next != NULL && !can_fail_here(is_nothrow(form)))
            return false;
        observe_failure(&(struct mem_trace_event){
            .op = MEM_TRACE_MALLOC, .caller = caller, .size = size });
        if (form->next == NULL || is_nothrow(form))
            return true;
        run_handler(size, alignment);
    }
}

/*
 * X(symbol, is_base, parameters, arguments, ...) for each form of new, with its
 * allocating function and alignment, and for each of delete. new and new[]
 * differ only in one letter.
 *
 * A program that replaces one form replaces all that call it: the library's
 * array, sized and nothrow forms call the base ones. So all forms are ours, or
 * none.
 */
#define NEWS(X, suffix, ...)     \
    X(_Znw##suffix, __VA_ARGS__) \
    X(_Zna##suffix, __VA_ARGS__)
#define DELETES(X, suffix, ...)  \
    X(_Zdl##suffix, __VA_ARGS__) \
    X(_Zda##suffix, __VA_ARGS__)

#define NEW_LIST(X)                                                     \
    NEWS(X, m, true, (size_t size), (size), plain, 0)                   \
    NEWS(X, mRKSt9nothrow_t, false, (size_t size, const void *nothrow), \
         (size, nothrow), plain, 0)                                     \
    NEWS(X, mSt11align_val_t, true, (size_t size, size_t alignment),    \
         (size, alignment), aligned, alignment)                         \
    NEWS(X, mSt11align_val_tRKSt9nothrow_t, false,                      \
         (size_t size, size_t alignment, const void *nothrow),          \
         (size, alignment, nothrow), aligned, alignment)

#define DELETE_LIST(X)                                                      \
    DELETES(X, Pv, true, (void *block), (block))                            \
    DELETES(X, Pvm, false, (void *block, size_t size), (block, size))       \
    DELETES(X, PvRKSt9nothrow_t, false, (void *block, const void *nothrow), \
            (block, nothrow))                                               \
    DELETES(X, PvSt11align_val_t, true, (void *block, size_t alignment),    \
            (block, alignment))                                             \
    DELETES(X, PvmSt11align_val_t, false,                                   \
            (void *block, size_t size, size_t alignment),                   \
            (block, size, alignment))                                       \
    DELETES(X, PvSt11align_val_tRKSt9nothrow_t, false,                      \
            (void *block, size_t alignment, const void *nothrow),           \
            (block, alignment, nothrow))

#define NUMBER(symbol, ...) FORM_##symbol,
enum { NEW_LIST(NUMBER) DELETE_LIST(NUMBER) FORMS };

#define OWN_NEW(symbol, is_base, parameters, ...) \
    HIDDEN void *own_##symbol parameters __attribute__((alias(#symbol)));
#define OWN_DELETE(symbol, is_base, parameters, ...) \
    HIDDEN void own_##symbol parameters __attribute__((alias(#symbol)));
NEW_LIST(OWN_NEW)
DELETE_LIST(OWN_DELETE)

#define FORM(symbol, is_base, ...) { #symbol, NULL, own_##symbol, is_base },
static struct form forms[FORMS] = { NEW_LIST(FORM) DELETE_LIST(FORM) };

/* In all cases but the usual one; jumped to, so that CALLER is the program. */
#define DEFINE_NEW(symbol, is_base, parameters, arguments, allocate,           \
                   alignment)                                                  \
    static NOINLINE void *slow_##symbol parameters                             \
    {                                                                          \
        void *(*next)parameters;                                               \
        uintptr_t outer;                                                       \
        void *block;                                                           \
                                                                               \
        if (new_slow(&forms[FORM_##symbol], allocate, alignment, size, CALLER, \
                     &block))                                                  \
            return block;                                                      \
        memcpy(&next, &forms[FORM_##symbol].next, sizeof next);                \
        if (__builtin_strstr(#symbol, "nothrow") == NULL)                      \
            return next arguments;                                             \
        outer = outer_caller();                                                \
        set_outer_caller(program_caller(CALLER));                              \
        block = next arguments;                                                \
        set_outer_caller(outer);                                               \
        return block;                                                          \
    }                                                                          \
                                                                               \
    EXPORT void *symbol parameters;                                            \
    void *symbol parameters                                                    \
    {                                                                          \
        void *block;                                                           \
                                                                               \
        if (LIKELY(owner == OWNER_LIBRARY && mode_records())) {                \
            block = allocate(alignment, size);                                 \
            if (LIKELY(block != NULL))                                         \
                return record_alloc(block, size, CALLER);                      \
        } else if (owner == OWNER_LIBRARY) {                                   \
            block = new_by_mode(allocate, alignment, size);                    \
            if (LIKELY(block != NULL))                                         \
                return block;                                                  \
        }                                                                      \
        return slow_##symbol arguments;                                        \
    }
NEW_LIST(DEFINE_NEW)

#define DEFINE_DELETE(symbol, is_base, parameters, arguments)       \
    EXPORT void symbol parameters;                                  \
    void symbol parameters                                          \
    {                                                               \
        void(*next) parameters;                                     \
                                                                    \
        if (UNLIKELY(!is_ours(&forms[FORM_##symbol]))) {            \
            memcpy(&next, &forms[FORM_##symbol].next, sizeof next); \
            next arguments;                                         \
        } else {                                                    \
            release(block);                                         \
        }                                                           \
    }
DELETE_LIST(DEFINE_DELETE)

void *new_delete_entry(const char *name)
{
    static const char *const names[][2] = {
        { "", "_Znwm" },
        { "_nothrow", "_ZnwmRKSt9nothrow_t" },
        { "_aligned", "_ZnwmSt11align_val_t" },
        { "_aligned_nothrow", "_ZnwmSt11align_val_tRKSt9nothrow_t" },
    };
    const char *form = text_after(name, "newarray");

    if (form == NULL)
        form = text_after(name, "new");
    if (text_after(name, "delete") != NULL)
        name = "_ZdlPv";
    for (size_t i = 0; form != NULL && i < sizeof names / sizeof *names; i++) {
        if (strcmp(form, names[i][0]) == 0)
            name = names[i][1];
    }
    for (size_t i = 0; i < FORMS; i++) {
        if (strcmp(forms[i].name, name) == 0)
            return forms[i].own;
    }
    return NULL;
}

void new_delete_take_over(void)
{
    are_patched = true;
    owner = OWNER_LIBRARY;
}

/* Return true if the operator in front of us is ours and that behind us is the
   library's or the allocator's. */
static bool is_untouched(const struct form *form)
{
    const void *first = loaded_symbols_find(form->name);
    void *allocator;

    memcpy(&allocator, &real.malloc, sizeof allocator);
    return (first == NULL || modules_are_same(first, &owner)) &&
           (form->next == NULL || is_library(modules_path_of(form->next)) ||
            modules_are_same(form->next, allocator));
}

void new_delete_find(void)
{
    struct loaded_symbol next[FORMS];
    enum owner found = OWNER_LIBRARY;

    for (size_t i = 0; i < FORMS; i++)
        next[i] = (struct loaded_symbol){ forms[i].name, &forms[i].next };
    loaded_symbols_find_all(next, FORMS, _DYNAMIC, NULL);
    has_library = forms[FORM__Znwm].next != NULL;
    if (has_library)
        find_handlers();
    for (size_t i = 0; i < FORMS && !are_patched && found == OWNER_LIBRARY;
         i++) {
        if (forms[i].is_base && !is_untouched(&forms[i]))
            found = OWNER_OTHER;
    }
    owner = found;
}
