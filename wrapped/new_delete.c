/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_delete.c - C++ operator new and delete, all forms, under their mangled
 * names
 *
 * If an exception passes through here, the failure and the exception's own
 * block are reported and the lock is released, as for a return: this file is
 * compiled with -fexceptions.
 */
#include "wrapped/wrapped.h"

/* Link what libstdc++'s aligned new calls, since that object comes later. The
   linker drops the pointer if it collects sections. */
void *__wrap_memalign(size_t alignment, size_t size);
__attribute__((used)) static void *const of_aligned_new = __wrap_memalign;

static void end_telling(const struct told_new *self)
{
    __atomic_store_n(&told_new, NULL, __ATOMIC_RELAXED);
    mbed_mem_trace_malloc(self->result, self->size, self->caller);
    if (!self->has_returned && self->inside.block != NULL)
        mbed_mem_trace_malloc(self->inside.block, self->inside.size,
                              self->inside.caller);
    mbed_mem_trace_unlock();
}

#define WRAP_NEW(symbol, parameters, arguments)                           \
    DECLARE_WRAPPED(void *, symbol, parameters);                          \
    void *__wrap_##symbol parameters                                      \
    {                                                                     \
        if (!tally_mem_trace_enter())                                     \
            return __real_##symbol arguments;                             \
                                                                          \
        struct told_new telling __attribute__((cleanup(end_telling))) = { \
            .size = size,                                                 \
            .caller = CALLER,                                             \
        };                                                                \
                                                                          \
        __atomic_store_n(&told_new, &telling, __ATOMIC_RELAXED);          \
        telling.result = __real_##symbol arguments;                       \
        telling.has_returned = true;                                      \
        return telling.result;                                            \
    }

/* size_t is `long` if addresses have 64 bits, and else `int`. */
#ifdef __LP64__
#define WRAP_BY_SIZE(WRAP, before, behind, ...) \
    WRAP(before##m##behind, __VA_ARGS__)
#else
#define WRAP_BY_SIZE(WRAP, before, behind, ...) \
    WRAP(before##j##behind, __VA_ARGS__)
#endif

#define WRAP_NEWS(behind, ...)                        \
    WRAP_BY_SIZE(WRAP_NEW, _Znw, behind, __VA_ARGS__) \
    WRAP_BY_SIZE(WRAP_NEW, _Zna, behind, __VA_ARGS__)
#define WRAP_DELETES(behind, ...)             \
    WRAP_AS_FREE(_ZdlPv##behind, __VA_ARGS__) \
    WRAP_AS_FREE(_ZdaPv##behind, __VA_ARGS__)
#define WRAP_SIZED_DELETES(behind, ...)                     \
    WRAP_BY_SIZE(WRAP_AS_FREE, _ZdlPv, behind, __VA_ARGS__) \
    WRAP_BY_SIZE(WRAP_AS_FREE, _ZdaPv, behind, __VA_ARGS__)

WRAP_NEWS(, (size_t size), (size))
WRAP_NEWS(RKSt9nothrow_t, (size_t size, const void *nothrow), (size, nothrow))
WRAP_NEWS(St11align_val_t, (size_t size, size_t alignment), (size, alignment))
WRAP_NEWS(St11align_val_tRKSt9nothrow_t,
          (size_t size, size_t alignment, const void *nothrow),
          (size, alignment, nothrow))

WRAP_DELETES(, (void *block), (block))
WRAP_DELETES(RKSt9nothrow_t, (void *block, const void *nothrow),
             (block, nothrow))
WRAP_DELETES(St11align_val_t, (void *block, size_t alignment),
             (block, alignment))
WRAP_DELETES(St11align_val_tRKSt9nothrow_t,
             (void *block, size_t alignment, const void *nothrow),
             (block, alignment, nothrow))
WRAP_SIZED_DELETES(, (void *block, size_t size), (block, size))
WRAP_SIZED_DELETES(St11align_val_t,
                   (void *block, size_t size, size_t alignment),
                   (block, size, alignment))
