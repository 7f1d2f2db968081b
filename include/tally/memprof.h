/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof.h - follow a sample of all blocks, from birth to death
 *
 * Statistical profiling of memory, as OCaml's Gc.Memprof has it. Each word that
 * is allocated is an independent trial that succeeds with the sampling rate; a
 * block with at least one success is sampled. A tracker's callbacks are called
 * when a sampled block is allocated, when it turns out to live longer than its
 * nursery epoch, and when it is given back:
 *
 *     memprof_start(1e-4, INT_MAX, &tracker, &profile);
 *     ...                       callbacks come
 *     memprof_stop();           no new samples; blocks are still followed
 *     memprof_discard(profile); no more callbacks
 *
 * Samples come from:
 *
 *   - the recorder, libtally-record.so, linked or preloaded: the whole malloc
 *     family of an unchanged program, C++ included, what tally/malloc.h tags,
 *     and maps of files
 *   - slabs and heaps of this library; without the recorder no call stacks are
 *     known, and callstack_size is 0
 *   - what the program says by the functions at the end
 *
 * A block of `bytes` bytes has ceil(bytes / sizeof(void *)) words, and a header
 * word besides, which is a trial like the others, whatever the allocator keeps
 * there: at rate 1 n_samples is size + 1, and malloc(0) has size 0 and one
 * sample. Memory that is not of the heap (MEMPROF_CUSTOM, MEMPROF_MAP_FILE) has
 * no header. So, with s samples at one place, s / rate words are the
 * expectation of what was allocated there.
 *
 * Life of a block. It is born minor with at most 256 words, else major. Nothing
 * moves in C, so these are classes of lifetime: a thread's nursery epoch ends
 * with the allocation by which the thread has allocated 262,144 words, headers
 * and MEMPROF_CUSTOM included, since the last one ended, by memprof_advance(), and
 * when the thread ends; the minor blocks that the thread allocated before, and that
 * are still there, are promoted then, and are major from now on. An idle thread ends
 * no epoch by itself, nor do maps of files, which are no pressure on the heap. A block
 * gets alloc, then promote, then dealloc, each at most once and in this order;
 * dealloc_minor when it was minor until the end, else dealloc_major. realloc is the
 * dealloc of one block and the alloc of another, and when it fails neither.
 *
 * Callbacks. alloc is called by the thread that allocates, after the allocator has
 * given the block and before the program gets it; dealloc by the thread that frees,
 * before the allocator gets the block back. A realloc calls alloc first, while all is
 * as it was and can be rejected, and dealloc of the old block when the new one is
 * there; where memory runs out between the two, alloc is followed by dealloc of what
 * has not come. promote is called by the thread whose epoch ends or that calls
 * memprof_advance(). Where two threads meet at one block, the first calls what
 * is left for the other as well. Callbacks of one thread never nest, and what they
 * allocate is never sampled: what becomes due in a callback is called after it.
 * Different threads may be in callbacks at once, and no lock of this library is held
 * meanwhile. A callback does not leave by longjmp(), an exception or pthread_exit().
 * errno is kept.
 *
 * In a callback a profile may be stopped, discarded and started, as elsewhere:
 * after memprof_stop() in alloc that block is followed like those before it; after
 * memprof_stop() and memprof_start() in alloc its dealloc is called at once, of the old
 * profile, and neither follows it; after memprof_discard() nothing more is called for
 * any block of that profile. memprof_start() alone is -EALREADY.
 *
 * Compilers know malloc and its kin: gcc and clang assume that these do not read or
 * write the program's variables, and glibc declares them `leaf`. So with optimization a
 * store before malloc may be left out or come later, and a callback reads an old value;
 * and what a callback stores may not be seen after malloc. Variables that callbacks
 * share with code that allocates have to be volatile or _Atomic (std::atomic).
 *
 * Where a callback is NULL, or returns NULL, no more are called for that block.
 *
 * Domains. A profile belongs to a domain, a set of threads. The first domain is
 * the whole process; memprof_domain_new() moves a thread into another one. A
 * new thread is in the domain of the thread that created it (with the recorder; else
 * in the first), and a new domain joins the profile of the one it was made in.
 * memprof_stop() stops a profile in all domains that have it. A profile is
 * stopped, too, when the last thread of its domains has ended; the first domain
 * ends with the process.
 *
 * The child of a fork samples nothing and gets no callbacks, until it starts a
 * profile of its own; profiles of its parent are stopped ones there. A child that
 * was forked in a callback is in none.
 *
 * Signal handlers: none of these functions may be called there. What a handler
 * allocates is sampled like everything else, by callbacks in the handler, unless
 * the handler came while its thread was in here.
 *
 * Memory: 40 bytes for each block that is followed, 16 more until its epoch ends,
 * and 8 to 16 in a table; 4 KiB for each thread, 24 bytes for each block of a scope
 * that it marshals in, and with call stacks up to 2 MiB more. What blocks took is used
 * again, and not given back. A block for which there is no memory left is not
 * followed, and its alloc is not called.
 *
 * Sampling is exact at any rate: nothing is rounded, unless limits are sampled as
 * well (tally/limits.h); they see the same samples then. The same program samples the
 * same blocks in each run, thread by thread in the order in which threads begin to
 * allocate: see tally_memprof_seed().
 *
 * Errors are negative: -EINVAL (22), -EALREADY (114), -ENOMEM (12), -ESRCH (3) and
 * -EBUSY (16), as errno has them on Linux. Not on firmware.
 */
#ifndef TALLY_MEMPROF_H
#define TALLY_MEMPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum memprof_source {
    MEMPROF_NORMAL, /* malloc and all its kin, slabs, heaps */
    MEMPROF_MARSHAL, /* within memprof_marshal_begin(), or an object of such a block */
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
 * From an alloc callback: let this allocation fail. The block is given back, the
 * program gets NULL and ENOMEM (from C++ new, what its handler or bad_alloc brings;
 * from mmap MAP_FAILED; token 0). It means NULL from promote, for what was
 * registered by memprof_marshal_object(), for what is called after
 * memprof_marshal_end(), and for the realloc of a block of a heap of this library,
 * whose contents have moved by then. A realloc of malloc's that is rejected returns
 * NULL, and its block stays as it was, and is followed.
 */
#define MEMPROF_REJECT ((void *)-1)

struct memprof;

/*
 * Start a profile in the domain of the calling thread: in all its threads, those
 * that run already included. `sampling_rate` is 0 to 1 samples for each word; with
 * 0 nothing is ever called. `callstack_size` is the most frames of a call stack;
 * 0: none, INT_MAX: all, or of a deeper stack the innermost 8,192. The tracker is
 * copied. *profile is for memprof_discard().
 *
 * -EINVAL for a rate that is NaN or outside 0 to 1 (below 0.0001 while limits are
 * sampled), a negative callstack_size, or NULL; else -EALREADY when this domain is
 * sampling; -ENOMEM.
 */
int memprof_start(double sampling_rate, int callstack_size,
                  const struct memprof_tracker *tracker,
                  struct memprof **profile);

/*
 * Stop sampling for the profile of the calling thread's domain, in all domains that
 * share it. alloc callbacks of the calling thread that wait for
 * memprof_marshal_end() are called first, unless it is in a callback; those of
 * others are never called. -ESRCH when nothing samples in this domain.
 */
int memprof_stop(void);

/*
 * No more callbacks for a stopped profile; one that another thread has begun may
 * still run. Its handle is good for telling that it was discarded, until a thousand
 * others were. -EINVAL for NULL, -EBUSY when not stopped, -EALREADY when
 * already discarded.
 */
int memprof_discard(struct memprof *profile);

/* 1 when the domain of the calling thread is sampling, else 0. */
int memprof_is_sampling(void);

/* The rate that samples are taken with: as started, or 1/round(1/rate). */
double memprof_effective_rate(const struct memprof *profile);

/*
 * End the nursery epoch now, in all threads of the calling thread's domain: "what
 * outlived the request that allocated it". In a callback it is done right after.
 */
void memprof_advance(void);

/*
 * Move the calling thread into a domain of its own, which joins the profile of the
 * one that it leaves. 0 or -ENOMEM.
 */
int memprof_domain_new(void);

/*
 * Memory that is no block: of a device, of another process, of an allocator that
 * is not seen. `bytes` is charged now; the token says when it is given back. 0:
 * not sampled, and nothing needs to be done. A token is given back once, by any
 * thread.
 */
uint64_t memprof_custom_alloc(size_t bytes);
void memprof_custom_free(uint64_t token);

/*
 * What the calling thread allocates from begin to the end that belongs to it is
 * MEMPROF_MARSHAL; their alloc callbacks are called at the outermost end, with the
 * call stacks that the allocations had, and what has become due until then right
 * after them.
 *
 * A deserialiser that makes many objects in one bulk block, allocated within begin
 * and end, registers each of them: the bulk block is not reported then, and each
 * object is a block of its own, header word included, which is given back with the
 * bulk block. An object that lies in no such block is given back by free() of its
 * own address. Of a scope the last 4,096 blocks are known.
 */
void memprof_marshal_begin(void);
void memprof_marshal_end(void);
void memprof_marshal_object(void *object, size_t bytes);

/* What follows is Tally's own. It holds for profiles that are started later. */

/* Words of a nursery epoch, at first 262,144, and of the largest minor block, 256. */
void tally_memprof_nursery(size_t epoch_words, size_t minor_words);

/* Sample other blocks, and the same ones again with the same seed; at first 0. */
void tally_memprof_seed(uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif /* TALLY_MEMPROF_H */
