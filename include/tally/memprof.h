/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof.h - follow sampled blocks from allocation to free
 *
 *     struct memprof_tracker tracker = { .alloc_minor = on_alloc };
 *     struct memprof *profile;
 *
 *     memprof_start(1e-4, INT_MAX, &tracker, &profile);
 *     ...
 *     memprof_stop();           // no new samples; blocks are still followed
 *     memprof_discard(profile); // no more callbacks
 *
 * Statistical memory profiling, as in OCaml's Gc.Memprof. Each allocated word
 * is an independent trial that succeeds with the sampling rate; a block with at
 * least one success is sampled. A tracker's callbacks are called when a sampled
 * block is allocated, when it outlives its nursery epoch, and when it is freed.
 * See docs/memprof.md for sampled allocations, epochs, domains, forks, memory
 * use, and how to read the figures.
 *
 * Callbacks run in the thread that allocates or frees, with no lock of Tally
 * held. Callbacks of one thread never nest, and their own allocations are never
 * sampled. A callback must not leave by longjmp(), an exception or
 * pthread_exit(); errno is preserved for the program. Compilers assume that
 * malloc does not access the program's variables: make variables that callbacks
 * share with allocating code volatile or _Atomic.
 *
 * Any thread; not from signal handlers. Errors are negative errno values of
 * Linux: -EINVAL (22), -EALREADY (114), -ENOMEM (12), -ESRCH (3) and -EBUSY
 * (16). Not on firmware.
 */
#ifndef TALLY_MEMPROF_H
#define TALLY_MEMPROF_H

#include <stddef.h>
#include <stdint.h>

#include "tally/private/guard.h"
#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

enum memprof_source {
    MEMPROF_NORMAL,  /* malloc and its relatives, slabs, heaps */
    MEMPROF_MARSHAL, /* allocated after memprof_marshal_begin(), or an object in
                        such a block */
    MEMPROF_CUSTOM,  /* memprof_custom_alloc() */
    MEMPROF_MAP_FILE /* mmap() of a file */
};

/* Valid during the callback only, call stack included. */
struct memprof_allocation {
    uint32_t n_samples; /* successes in this block, at least 1; UINT32_MAX: that
                           or more */
    size_t size;        /* words, without header */
    size_t bytes;       /* as requested */
    enum memprof_source source;
    const uintptr_t *callstack; /* return addresses, innermost first */
    size_t callstack_size;      /* frames, at most callstack_size of
                                   memprof_start() */
};

/* Callbacks, each may be NULL. `context` is passed to all of them. */
struct memprof_tracker {
    /* Return the program's pointer for the block; NULL: do not follow it. */
    void *(*alloc_minor)(const struct memprof_allocation *allocation,
                         void *context);
    void *(*alloc_major)(const struct memprof_allocation *allocation,
                         void *context);
    void *(*promote)(void *minor, void *context);
    void (*dealloc_minor)(void *minor, void *context);
    void (*dealloc_major)(void *major, void *context);
    void *context;
};

/* Tracker that follows no blocks. */
extern const struct memprof_tracker memprof_null_tracker;

/*
 * Return value of an alloc callback that makes the allocation fail. The block
 * is freed, and the program gets NULL and ENOMEM (in C++ the new handler or
 * bad_alloc; from mmap MAP_FAILED; token 0). A rejected realloc() returns NULL;
 * its block stays unchanged and is still followed. The value means just NULL
 * from promote, for objects of memprof_marshal_object(), in callbacks after
 * memprof_marshal_end(), and for the realloc of a block of Tally's own heaps,
 * which has already moved.
 */
#define MEMPROF_REJECT ((void *)-1)

struct memprof;

/*
 * Start a profile in all threads of the calling thread's domain, also those
 * that run already. `sampling_rate` is 0 to 1 samples per word; 0 calls no
 * callbacks. `callstack_size` is the maximum number of frames of a call stack;
 * 0: none, INT_MAX: up to the innermost 8,192. The tracker is copied. *profile
 * is for memprof_discard().
 *
 * Return 0; -EINVAL for a rate that is NaN or outside 0 to 1 (or below 0.0001
 * while limits are sampled), a negative callstack_size, or NULL; -EALREADY if
 * this domain is sampling; -ENOMEM.
 */
int memprof_start(double sampling_rate, int callstack_size,
                  const struct memprof_tracker *tracker,
                  struct memprof **profile);

/*
 * Stop sampling for the profile of the calling thread's domain, in all domains
 * that share it. First call the calling thread's alloc callbacks that wait for
 * memprof_marshal_end(), unless it is in a callback or a masked section of
 * tally/limits.h; those of other threads are never called. Return 0, or -ESRCH
 * if this domain is not sampling.
 */
int memprof_stop(void);

/*
 * Stop all callbacks of a stopped profile; a callback already running in
 * another thread may still finish. Return 0; -EINVAL for NULL; -EBUSY if it is
 * not stopped; -EALREADY if it was already discarded (known for the last
 * thousand profiles).
 */
int memprof_discard(struct memprof *profile);

/* Return 1 if the domain of the calling thread is sampling, else 0. */
int memprof_is_sampling(void);

/* Return the sampling rate in use: as started, or 1/round(1/rate). */
double memprof_effective_rate(const struct memprof *profile);

/*
 * End the nursery epoch now, in all threads of the calling thread's domain, for
 * example after a request, to see blocks that outlived it. In a callback or a
 * masked section of tally/limits.h, the epoch ends after it.
 */
void memprof_advance(void);

/* Move the calling thread into a new domain, which joins the profile of its old
   one. Return 0 or -ENOMEM. */
int memprof_domain_new(void);

/*
 * Report memory that is not a block: of a device, of another process, of an
 * unsupported allocator. `bytes` are charged now. Return a token to free once,
 * in any thread, when the memory is freed. Token 0 means not sampled; it need
 * not be freed.
 */
uint64_t memprof_custom_alloc(size_t bytes);
void memprof_custom_free(uint64_t token);

/*
 * Mark the calling thread's allocations between begin and end as
 * MEMPROF_MARSHAL. The outermost end calls the alloc callbacks, with the call
 * stacks of the allocations, and then the callbacks that became due meanwhile.
 *
 * A deserialiser that creates many objects in one bulk block, allocated between
 * begin and end, registers each object. The bulk block is then not reported;
 * each object counts as a block with its own header word, and is freed with the
 * bulk block. An object outside such a block is freed by free() of its own
 * address. Only the last 4,096 blocks of a scope are known.
 *
 * A scope left by an exception stays open, with its callbacks waiting, unless
 * it is a tally::marshal_guard. An end without a begin does nothing: where a
 * longjmp lands, call as many as may be open.
 */
void memprof_marshal_begin(void);
void memprof_marshal_end(void);
void memprof_marshal_object(void *object, size_t bytes);

/* Extensions of Tally. They apply to profiles that are started later. */

/* Set the length of a nursery epoch (default 262,144 words) and the largest
   minor block (256 words). */
void tally_memprof_nursery(size_t epoch_words, size_t minor_words);

/* Set the seed of sampling, initially 0; the same seed samples the same
   blocks. */
void tally_memprof_seed(uint64_t seed);

TALLY_END_DECLS

/* Marshal scope for C++: ends with its block, also on exceptions. */
TALLY_GUARD(marshal_guard, memprof_marshal_begin, memprof_marshal_end)

#endif /* TALLY_MEMPROF_H */
