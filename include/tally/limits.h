/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.h - budgets of memory for a part of a program's work
 *
 *     struct limit_scope scope;
 *     uint64_t bytes;
 *
 *     limits_begin_allocation(&scope, 64 << 20, LIMIT_ENOMEM);
 *     answer = handle(request);
 *     if (limits_end(&scope, &bytes) == 1)
 *         refuse(request, "it wants more than 64 MiB");
 *
 * A scope is a part of what one thread does. It is hit when its limit is reached,
 * and then stays hit until it ends:
 *
 *   - limits_begin_allocation(): by what this thread allocates in it, freed or not,
 *     in bytes as requested, and by what it charges by memprof_custom_alloc() of
 *     tally/memprof.h, which is there already and never refused; files that are
 *     mapped do not count. The allocation that reaches the limit hits it, so
 *     of a limit of N bytes N - 1 can be used; with 0 the first allocation does
 *   - limits_begin_global(): by what the whole process holds. An allocation of this
 *     thread after which there is more than limits_set_global() allows hits it, and
 *     so does limits_interrupted() when there is more
 *   - limits_begin_live(): by what it holds: bytes that this thread has allocated
 *     in it less those that it has freed, whichever blocks they are. An allocation
 *     after which that is more than its limit hits it
 *   - limits_begin_shared(): by what all threads allocate that have joined it
 *   - limits_begin_token(): by a token that the program sets
 *
 * Inside a scope that was hit
 *
 *   - limits_interrupted() returns 1: poll it in loops
 *   - with LIMIT_ENOMEM malloc fails: malloc, calloc, realloc, reallocarray and the
 *     aligned forms return NULL with errno ENOMEM, posix_memalign returns ENOMEM,
 *     the tagged forms of tally/malloc.h likewise, C++ new calls its new_handler and
 *     throws std::bad_alloc, or returns nullptr where it is nothrow. Already the
 *     allocation that would hit the scope fails, and no other does before. A realloc
 *     that fails leaves its block as it is. free always works, realloc to nothing
 *     included, and so do slabs and heaps of Tally's, whose memory was set aside
 *     beforehand
 *   - the callbacks of tally/memprof.h are a handler: they run in the thread that
 *     allocates, after the limits were looked at, at every later sample until the
 *     scope ends. One that asks limits_interrupted() may note it, report it, or
 *     return MEMPROF_REJECT. In C++ a new_handler is another
 *
 * Nothing is ever left by longjmp: the program goes its own way out. A scope whose
 * function has been left without limits_end(), by return, longjmp or an exception, is
 * dropped when its limit is looked at next from a function further out, or when
 * another function's frame has overwritten it (on x86-64, on the thread's own stack; not
 * in static memory, on the heap or on a coroutine's stack). LIMIT_SCOPE() and tally::limit_guard end theirs.
 *
 * Scopes nest. What is allocated in an inner scope is charged to all around it, and
 * an inner one can use no more than is left outside: when an outer scope is hit, all
 * inside it is interrupted, and malloc fails if that scope, or one inside it, has
 * LIMIT_ENOMEM. limits_end() tells each scope of its own limit only. A request that
 * fails is not charged. A realloc that does not fail is charged its new size, where
 * allocations count; what it holds more or less than before, where that counts. There
 * its block may take more bytes than were asked for, which is known only when the
 * old one is gone: a realloc whose bytes fit is never refused, and hits the scope if
 * its block does not.
 *
 * The recorder counts: pkg-config --libs tally-record, or a program that links libtally
 * (pkg-config --libs tally) under the preloaded recorder. In other programs scopes begin
 * with -ENOTSUP, and so they do where the recorder is not in malloc's way: where it was
 * loaded behind libc, as with a plugin or a library that needs it, or where the program
 * has a malloc of its own. Then nothing is limited: limits_interrupted() returns 0. From
 * a process's first scope, masked section or global limit on its allocations go a slower
 * way; docs/limits.md says what it costs. In other programs nothing changes.
 *
 * Allocations in callbacks of tally/memprof.h are not charged and never refused. What
 * the loader takes for itself, as in dlopen or for thread-local words, is charged and
 * never refused, for it may end the process where it has no memory. So threads may end
 * by pthread_exit() in a scope that was hit.
 *
 * Threads: scopes belong to the thread that began them, and new threads inherit
 * none. Everything here may be called in any thread; in signal handlers a token may
 * be set and limits_interrupted() called. What a handler allocates counts for the
 * thread that it interrupts, unless that looks at its limits just then. The child of
 * a fork goes on with the scopes of the thread that has forked, and its copy of what
 * they have counted.
 */
#ifndef TALLY_LIMITS_H
#define TALLY_LIMITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an exceeded scope does to malloc. */
enum limit_action {
    LIMIT_FLAG,  /* nothing: the program polls */
    LIMIT_ENOMEM /* it fails */
};

/*
 * The caller's, best on its stack, from begin to end; scopes end in the reverse of the
 * order in which they began, and before their stack is left. It needs no value at
 * first. Fields are private.
 */
struct limit_scope {
#ifdef __cplusplus
    uint64_t private_[8];
#else
    uint64_t private[8];
#endif
};

/*
 * 0, as it must be at first, until the program sets it to 1, from any thread or
 * signal handler, as `token.set = 1;` does. It is never unset. It may serve
 * several scopes, and is the caller's, at least as long as they are open. In
 * C++ the field is plain: __atomic_store_n(&token.set, 1, __ATOMIC_SEQ_CST).
 */
struct limit_token {
#ifdef __cplusplus
    int set;
#else
    _Atomic int set;
#endif
};

/*
 * How much of malloc's the process may hold, in all threads; negative, as at first:
 * as much as it wants. Scopes of limits_begin_global() are hit by it, also those
 * that are open.
 *
 * Bytes are as malloc_usable_size() says, which is up to 24 more than was asked
 * for, and a page where a block is mapped. From the first call that is not negative
 * on they are counted with every allocation and free of every thread; what was
 * live before comes from the allocator: of glibc by mallinfo2(), which adds 8
 * to 16 bytes to each of those blocks, and blocks that are kept for reuse; of
 * jemalloc by "stats.allocated"; of tcmalloc by
 * "generic.current_allocated_bytes"; of others it is not known, and counts as
 * 0. So it is exact but for that constant, and a thread that is alone is
 * stopped exactly. Several are, but for the block that each of them allocates
 * at the moment at which another reaches the limit.
 */
void limits_set_global(int64_t live_bytes);

/*
 * Begin a scope. 0, or nothing has begun:
 *
 *   -EINVAL   scope, token or the shared scope is NULL; there is no such action; what
 *             is to be joined is no open shared scope; or this scope is open already
 *   -ENOTSUP  malloc is not counted in this process, as said above
 *   -ENOMEM   no memory for what is kept of a thread or of 36 scopes
 *
 * (The values are errno's, negative.)
 *
 * Whether a scope is open or was left without limits_end() is told by the function
 * that it lies in, which begins it or calls what does so. (In other memory, or where
 * code has no unwind tables, by the function that calls limits_begin_...().) It is
 * open if another call of that function began it, or another call of limits_begin_...(),
 * and nothing was written to it since; else it was left, and the old one is dropped.
 * So two cases cannot be recognized: the same calls, made again while the scope
 * is open, as in a loop, drop the scope and begin another; and a function that
 * was left, and begins a scope in the same place by other calls, gets -EINVAL,
 * unless it writes to the scope before, as by = { 0 }.
 *
 * A token that is set already hits its scope at once. With LIMIT_ENOMEM a token
 * is looked at before every allocation.
 *
 * limits_begin_live() counts as limits_set_global() does, in bytes that blocks take,
 * and turns that on. Freeing a block from before the scope makes room in it, as much
 * as the block took: what it holds may be negative. Freeing by another thread
 * does not.
 *
 * limits_begin_shared() begins a scope whose budget other threads may draw from as well:
 * each, while the scope is open, by limits_join() with a scope of its own. Together they
 * use at most bytes - 1. Each draws 1/256 of the budget at a time, at most 64 KiB, so they
 * may be stopped by that much early for each thread. When one hits it, all have hit
 * it, which each sees when it draws the next time, or asks limits_interrupted().
 * limits_end() gives the joined thread's bytes to the thread that has joined, and those
 * of all that have ended to the one that shares.
 */
int limits_begin_global(struct limit_scope *scope, enum limit_action action);
int limits_begin_allocation(struct limit_scope *scope, uint64_t bytes,
                            enum limit_action action);
int limits_begin_token(struct limit_scope *scope, struct limit_token *token,
                       enum limit_action action);

int limits_begin_live(struct limit_scope *scope, uint64_t bytes,
                      enum limit_action action);
int limits_begin_shared(struct limit_scope *scope, uint64_t bytes,
                        enum limit_action action);
int limits_join(struct limit_scope *scope, const struct limit_scope *shared,
                enum limit_action action);

/*
 * Call back once when an open scope of this thread has used `bytes` of its limit, as
 * its kind counts (of a shared budget: when so much was drawn; of the global one: as this
 * thread sees it; of a token's scope: allocated in it). The callback runs in this
 * thread, after the allocation and before the program gets the block; it is given what
 * is used. What it allocates counts only as held, and is never refused; it may
 * call all of this header. It does not leave by longjmp or an exception. A later call
 * replaces it; NULL: none. 0, or -EINVAL: the scope is not open in this thread.
 *
 * One that is set to what is used already, or to less, calls back at the next
 * allocation that leaves as much used. That is so in its own callback, too: set there
 * to the same figure again, it calls once for each allocation.
 */
int limits_on_threshold(struct limit_scope *scope, uint64_t bytes,
                        void (*callback)(void *context, uint64_t bytes),
                        void *context);

/*
 * The budget of this name in the environment variable TALLY_LIMITS, which is a list like
 * "request=8M,cache=2G": bytes, or with K, M, G or T times 1024, once to four times. Of
 * two of one name the first counts. `otherwise` where it has none, or what it has is no
 * number or too large; in a process with the rights of another user (AT_SECURE) and
 * without the recorder always. Pieces between commas that are not of this form, as "=5"
 * or "a=1k", count as not there; one line on standard error names the first of them, in
 * the first call that meets any.
 *
 *     limits_begin_allocation(&scope, limits_budget("request", 8 << 20), LIMIT_ENOMEM);
 */
uint64_t limits_budget(const char *name, uint64_t otherwise);

/*
 * End a scope. 1: its own limit was hit, as seen by this thread; 0: it was not;
 * -EINVAL: it is not open in this thread. Scopes inside it that are still open end
 * as well. `*bytes_allocated`, unless NULL, is what this thread has allocated in it,
 * inner scopes included; of limits_begin_live() what it holds, or 0 where that is less
 * than nothing.
 */
int limits_end(struct limit_scope *scope, uint64_t *bytes_allocated);

/*
 * 1: a scope that the calling thread is in was hit, and it is not masked; else 0.
 * Any context.
 */
int limits_interrupted(void);

/*
 * Between these nothing of this thread is interrupted: code that takes or gives back
 * what must not be lost runs to its end, and malloc does not fail because of limits.
 * All is counted as ever, and what was hit shows when the section has ended. They
 * nest; an end without a begin does nothing.
 */
void limits_mask_begin(void);
void limits_mask_end(void);

/*
 * The way of OCaml's memprof-limits, for scopes that begin from now on: each word,
 * header included, is sampled with this rate, and each sample charges
 * round(1/rate) words to every scope around it. A scope is looked at at samples
 * only; it is hit by the sample that leaves nothing of its limit, the
 * ceil(limit / (8 * round(1/rate)))-th, and limits_end() gives what was charged. A
 * limit of fewer than about 20 samples means little: with a hundred a scope is safe
 * up to 51 % of its limit and has ended by 172 % but for one in 10^9.
 *
 * While scopes are sampled a profile of tally/memprof.h has the rate
 * 1/round(1/rate), at least 0.0001, and both see the same samples, at the
 * profile's rate; each sample of one that runs already charges 1/rate words. But
 * no profile makes limits blunter: one that samples less than they do leaves them
 * samples of their own. 0 goes back to exact; a rate that is NaN or outside 0 to 1
 * changes nothing.
 */
void limits_use_sampling(double sampling_rate);

/* A scope that ends when its block is left, unless it was ended before. */
#define LIMIT_SCOPE(name) \
    __attribute__((cleanup(tally_limit_scope_end))) struct limit_scope name

static inline void tally_limit_scope_end(struct limit_scope *scope)
{
    limits_end(scope, (uint64_t *)0);
}

#ifdef __cplusplus
}

namespace tally
{
/*
 * The same in C++: ends with its block, by exceptions, too.
 *
 *     tally::limit_guard guard;
 *
 *     if (limits_begin_allocation(guard.scope(), 8 << 20, LIMIT_ENOMEM) != 0) ...
 *
 * end() is limits_end().
 */
class limit_guard
{
  public:
    limit_guard()
    {
    }
    ~limit_guard()
    {
        limits_end(&scope_, 0);
    }
    limit_scope *scope()
    {
        return &scope_;
    }
    int end(uint64_t *bytes_allocated = 0)
    {
        return limits_end(&scope_, bytes_allocated);
    }

  private:
    limit_guard(const limit_guard &);
    limit_guard &operator=(const limit_guard &);

    limit_scope scope_;
};
} // namespace tally
#endif

#endif /* TALLY_LIMITS_H */
