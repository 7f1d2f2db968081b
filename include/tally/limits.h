/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.h - memory budgets for parts of a program's work
 *
 *     struct limit_scope scope;
 *     uint64_t bytes;
 *
 *     limits_begin_allocation(&scope, 64 << 20, LIMIT_ENOMEM);
 *     answer = handle(request);
 *     if (limits_end(&scope, &bytes) == 1)
 *         refuse(request, "it wants more than 64 MiB");
 *
 * A scope is a section of one thread's execution. It is hit when its limit is
 * reached, and stays hit until it ends. Inside a hit scope limits_interrupted()
 * returns 1 and, with LIMIT_ENOMEM, malloc and its relatives fail. Scopes nest:
 * an inner scope can use no more than its outer scope has left.
 *
 * The recorder does the counting: link it (pkg-config --libs tally-record), or
 * preload it into a program that links libtally. In other programs, beginning a
 * scope returns -ENOTSUP and nothing is limited.
 *
 * Threads: a scope belongs to the thread that began it; new threads inherit
 * none. All functions may be called in any thread. Signal handlers may only set
 * tokens and call limits_interrupted().
 *
 * See docs/limits.md for the kinds of scopes, what a hit does, nesting, forks,
 * and cost.
 */
#ifndef TALLY_LIMITS_H
#define TALLY_LIMITS_H

#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* Effect of a hit scope on malloc. */
enum limit_action {
    LIMIT_FLAG,  /* none: the program polls */
    LIMIT_ENOMEM /* malloc fails */
};

/*
 * The caller owns the scope while it is open, best on its stack, and need not
 * initialize it. Scopes end in reverse order, before their stack frame is left.
 * Fields are private.
 */
struct limit_scope {
#ifdef __cplusplus
    uint64_t private_[8];
#else
    uint64_t private[8];
#endif
};

/*
 * `set` starts at 0. Any thread or signal handler sets it to 1; it is never
 * cleared. In C++ and C99 the field is a plain int: use
 * __atomic_store_n(&token.set, 1, __ATOMIC_SEQ_CST). A token may serve several
 * scopes. The caller keeps it alive while they are open.
 */
struct limit_token {
#if defined __cplusplus || __STDC_VERSION__ < 201112L
    int set;
#else
    _Atomic int set;
#endif
};

/*
 * Limit the live malloc bytes of the whole process. Negative (the default): no
 * limit. It hits scopes of limits_begin_global(), including open ones. Bytes
 * are counted as by malloc_usable_size(); docs/limits.md states the accuracy.
 * After the first non-negative call, every allocation and free of every thread
 * is counted.
 */
void limits_set_global(int64_t live_bytes);

/*
 * Begin a scope. Each kind has its own limit:
 *
 *   limits_begin_allocation()  bytes this thread allocates in it, freed or not:
 *                              of a limit of N bytes, N - 1 can be used
 *   limits_begin_live()        bytes this thread allocates in it, minus the
 *                              bytes it frees
 *   limits_begin_shared()      bytes allocated by all threads that joined it by
 *                              limits_join(), together at most bytes - 1
 *   limits_begin_global()      live bytes of the process: limits_set_global()
 *   limits_begin_token()       the token; one that is already set hits at once
 *
 * Return 0, or a negative errno value if no scope began:
 *
 *   -EINVAL   scope, token or the shared scope is NULL; the action is unknown;
 *             `shared` is not an open shared scope
 *   -ENOTSUP  malloc is not counted in this process
 *   -ENOMEM   no memory for the state of a thread or of 42 scopes
 *
 * A scope that begins again ends first, also if there is no memory then: it may
 * have been left without limits_end(). Scopes inside it stay open.
 * limits_end() of a joined scope reports its thread's bytes;
 * limits_end() of the shared scope reports those of all joined scopes that have
 * ended.
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
 * Call `callback` once when an open scope of this thread has used `bytes` of
 * its limit, counted as its kind does. The callback receives the bytes in use.
 * It runs in this thread, after the allocation and before the program gets the
 * block. If a hit scope refuses the request that would reach `bytes`, it runs
 * before malloc fails; its bytes then include the request. It may call all
 * functions of this header, but must not leave by longjmp or an exception. Its
 * own allocations count only as live bytes and never fail. A later call
 * replaces it; NULL removes it. Return 0, or -EINVAL if the scope is not open
 * in this thread.
 */
int limits_on_threshold(struct limit_scope *scope, uint64_t bytes,
                        void (*callback)(void *context, uint64_t bytes),
                        void *context);

/*
 * Return the budget `name` from the environment variable TALLY_LIMITS, a list
 * such as "request=8M,cache=2G", or `otherwise` if it is not there.
 *
 *     limits_begin_allocation(&scope, limits_budget("request", 8 << 20),
 *                             LIMIT_ENOMEM);
 */
uint64_t limits_budget(const char *name, uint64_t otherwise);

/*
 * End a scope, with all open scopes inside it. Return 1 if this thread saw the
 * scope's own limit hit, 0 if not, or -EINVAL if it is not open in this thread.
 * Store in *bytes_allocated, unless NULL, the bytes this thread allocated in it
 * and in inner scopes; for limits_begin_live() the live bytes, at least 0.
 */
int limits_end(struct limit_scope *scope, uint64_t *bytes_allocated);

/*
 * Suspend a scope of the calling thread, with all scopes and masked sections
 * that began in it, and resume it in any thread, inside that thread's scopes.
 * Meanwhile nothing counts in them. A coroutine or fiber that has a scope
 * suspends it before it switches, and resumes it when it runs again:
 *
 *     limits_suspend(&scope);
 *     swapcontext(&own, &scheduler);
 *     limits_resume(&scope);
 *
 * The scope stays in its place. limits_end() also ends a suspended scope, in
 * any thread; otherwise its memory is lost. Return 0; -EINVAL if the scope is
 * not open in this thread, or not suspended; -ENOMEM if a scope on live bytes
 * resumes in a thread that has no memory to count them.
 */
int limits_suspend(struct limit_scope *scope);
int limits_resume(struct limit_scope *scope);

/* Return 1 if a scope of the calling thread was hit and is not masked, else 0.
   Any context. */
int limits_interrupted(void);

/*
 * Mask a section: in it limits_interrupted() returns 0, limits do not make
 * malloc fail, and callbacks of thresholds and of tally/memprof.h wait, so that
 * code that acquires or releases resources can finish. Counting continues; hits
 * show when the section ends, thresholds at the next block. Blocks allocated in
 * it are not sampled by a profile. Sections nest; an end without a begin does
 * nothing. A section that begins in a scope ends with it at the latest.
 *
 * A section left by an exception or longjmp stays masked, unless it is a scope:
 * LIMIT_MASK() or, in C++, tally::mask_guard. limits_begin_mask() begins one,
 * with the errors of the other kinds; limits_end() ends it and returns 0.
 * limits_is_blocked() returns 1 in a masked section, else 0, in any context.
 */
void limits_mask_begin(void);
void limits_mask_end(void);
int limits_begin_mask(struct limit_scope *scope);
int limits_is_blocked(void);

/*
 * Sample, as OCaml's memprof-limits does, for scopes that begin from now on:
 * each word is sampled at this rate, and each sample charges round(1/rate)
 * words to every scope around it (docs/limits.md). 0 returns to exact counting;
 * a rate that is NaN or outside 0 to 1 changes nothing.
 */
void limits_use_sampling(double sampling_rate);

/* Define a scope that ends with its block, unless it has already ended. */
#define LIMIT_SCOPE(name) \
    __attribute__((cleanup(tally_limit_scope_end))) struct limit_scope name

/* Mask the rest of the block. */
#define LIMIT_MASK(name) \
    LIMIT_SCOPE(name);   \
    limits_begin_mask(&name)

static inline void tally_limit_scope_end(struct limit_scope *scope)
{
    limits_end(scope, (uint64_t *)0);
}

TALLY_END_DECLS

#ifdef __cplusplus
namespace tally
{
/*
 * Scope for C++: ends with its block, also on exceptions.
 *
 *     tally::limit_guard guard;
 *
 *     limits_begin_allocation(guard.scope(), 8 << 20, LIMIT_ENOMEM);
 *
 * end() calls limits_end().
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

/* Mask for C++: ends with its block, also on exceptions. */
class mask_guard
{
  public:
    mask_guard()
    {
        limits_begin_mask(guard_.scope());
    }

  private:
    limit_guard guard_;
};
} // namespace tally
#endif

#endif /* TALLY_LIMITS_H */
