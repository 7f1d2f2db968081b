/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof.h - follow a sample of all blocks, from birth to death
 *
 *     struct memprof_tracker tracker = { .alloc_minor = on_alloc };
 *     struct memprof *profile;
 *
 *     memprof_start(1e-4, INT_MAX, &tracker, &profile);
 *     ...
 *     memprof_stop();           // no new samples; blocks are still followed
 *     memprof_discard(profile); // no more callbacks
 *
 * Statistical profiling of memory, as OCaml's Gc.Memprof has it. Each word that
 * is allocated is an independent trial that succeeds with the sampling rate; a
 * block with at least one success is sampled. A tracker's callbacks are called
 * when a sampled block is allocated, when it outlives its nursery epoch, and
 * when it is freed. docs/memprof.md: what is sampled, epochs, domains, forks,
 * the memory that it takes, and how to read the figures.
 *
 * Callbacks run in the thread that allocates or frees, with no lock of Tally's
 * held; those of one thread never nest, and what they allocate is never
 * sampled. A callback does not leave by longjmp(), an exception or
 * pthread_exit(); errno is kept. Compilers assume that malloc touches no
 * variable of the program: variables that callbacks share with code that
 * allocates must be volatile or _Atomic.
 *
 * Any thread; not from signal handlers. Errors are negative, as errno has them
 * on Linux: -EINVAL (22), -EALREADY (114), -ENOMEM (12), -ESRCH (3) and -EBUSY
 * (16). Not on firmware.
 */
#ifndef TALLY_MEMPROF_H
#define TALLY_MEMPROF_H

#include <stddef.h>
#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

enum memprof_source {
    MEMPROF_NORMAL,  /* malloc and all its kin, slabs, heaps */
    MEMPROF_MARSHAL, /* within memprof_marshal_begin(), or an object of such a
                        block */
    MEMPROF_CUSTOM,  /* memprof_custom_alloc() */
    MEMPROF_MAP_FILE /* mmap of a file */
};

/* Valid during the callback only, call stack included. */
struct memprof_allocation {
    uint32_t n_samples; /* successes in this block, >= 1; UINT32_MAX: or more */
    size_t size;        /* words, header excluded */
    size_t bytes;       /* as requested */
    enum memprof_source source;
    const uintptr_t *callstack; /* return addresses, innermost first */
    size_t callstack_size;      /* frames, at most what start asked for */
};

/* Each may be NULL. `context` is the tracker's. */
struct memprof_tracker {
    /* What the program keeps for the block; NULL: do not follow it. */
    void *(*alloc_minor)(const struct memprof_allocation *allocation,
                         void *context);
    void *(*alloc_major)(const struct memprof_allocation *allocation,
                         void *context);
    void *(*promote)(void *minor, void *context);
    void (*dealloc_minor)(void *minor, void *context);
    void (*dealloc_major)(void *major, void *context);
    void *context;
};

/* Follows nothing. */
extern const struct memprof_tracker memprof_null_tracker;

/*
 * From an alloc callback: let this allocation fail. The block is given back,
 * and the program gets NULL and ENOMEM (from C++ new what its handler or
 * bad_alloc brings; from mmap MAP_FAILED; token 0). A realloc of malloc's that
 * is rejected returns NULL; its block stays as it was, and is followed. It
 * means just NULL from promote, for what memprof_marshal_object() registered,
 * for what is called after memprof_marshal_end(), and for the realloc of a
 * block of a heap of this library, whose contents have moved by then.
 */
#define MEMPROF_REJECT ((void *)-1)

struct memprof;

/*
 * Start a profile in the domain of the calling thread: in all its threads,
 * those that run already included. `sampling_rate` is 0 to 1 samples for each
 * word; with 0 nothing is ever called. `callstack_size` is the most frames of a
 * call stack; 0: none, INT_MAX: all, or of a deeper stack the innermost 8,192.
 * The tracker is copied. *profile is for memprof_discard().
 *
 * -EINVAL for a rate that is NaN or outside 0 to 1 (below 0.0001 while limits
 * are sampled), a negative callstack_size, or NULL; else -EALREADY when this
 * domain is sampling; -ENOMEM.
 */
int memprof_start(double sampling_rate, int callstack_size,
                  const struct memprof_tracker *tracker,
                  struct memprof **profile);

/*
 * Stop sampling for the profile of the calling thread's domain, in all domains
 * that share it. alloc callbacks of the calling thread that wait for
 * memprof_marshal_end() are called first, unless it is in a callback; those of
 * others are never called. -ESRCH when nothing samples in this domain.
 */
int memprof_stop(void);

/*
 * No more callbacks for a stopped profile; one that another thread has begun
 * may still run. -EINVAL for NULL, -EBUSY if it is not stopped, -EALREADY if it
 * was discarded already, which the handle tells until a thousand others were.
 */
int memprof_discard(struct memprof *profile);

/* 1 when the domain of the calling thread is sampling, else 0. */
int memprof_is_sampling(void);

/* The rate that samples are taken with: as started, or 1/round(1/rate). */
double memprof_effective_rate(const struct memprof *profile);

/*
 * End the nursery epoch now, in all threads of the calling thread's domain:
 * "what outlived the request that allocated it". In a callback it is done right
 * after.
 */
void memprof_advance(void);

/*
 * Move the calling thread into a domain of its own, which joins the profile of
 * the one that it leaves. 0 or -ENOMEM.
 */
int memprof_domain_new(void);

/*
 * Memory that is no block: of a device, of another process, of an allocator
 * that is not seen. `bytes` is charged now. Give the token back once, in any
 * thread, when the memory is given back. Token 0: not sampled, and nothing
 * needs to be done.
 */
uint64_t memprof_custom_alloc(size_t bytes);
void memprof_custom_free(uint64_t token);

/*
 * What the calling thread allocates between begin and its end is
 * MEMPROF_MARSHAL. The outermost end calls the alloc callbacks, with the call
 * stacks that the allocations had, and right after them what has become due
 * until then.
 *
 * A deserialiser that makes many objects in one bulk block, allocated within
 * begin and end, registers each of them. Then the bulk block is not reported,
 * and each object is a block of its own, header word included, which is given
 * back with the bulk block. An object outside such a block is given back by
 * free() of its own address. Only the last 4,096 blocks of a scope are known.
 */
void memprof_marshal_begin(void);
void memprof_marshal_end(void);
void memprof_marshal_object(void *object, size_t bytes);

/* What follows is Tally's own. It holds for profiles that are started later. */

/* Words of a nursery epoch, at first 262,144, and of the largest minor block,
   256. */
void tally_memprof_nursery(size_t epoch_words, size_t minor_words);

/* Sample other blocks, and the same ones again with the same seed; at first
   0. */
void tally_memprof_seed(uint64_t seed);

TALLY_END_DECLS

#endif /* TALLY_MEMPROF_H */
