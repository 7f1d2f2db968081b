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
 * A scope is a part of what one thread does. It is hit when its limit is
 * reached, and stays hit until it ends. Inside a scope that was hit
 * limits_interrupted() returns 1, and with LIMIT_ENOMEM malloc and its kin
 * fail. Scopes nest: an inner scope can use no more than is left outside.
 *
 * The recorder counts: link it (pkg-config --libs tally-record), or preload it
 * to a program that links libtally. In other programs scopes begin with
 * -ENOTSUP, and nothing is limited.
 *
 * Threads: a scope belongs to the thread that began it; new threads inherit
 * none. Everything here may be called in any thread; in signal handlers a token
 * may be set and limits_interrupted() called.
 *
 * docs/limits.md: what each kind of scope counts, what happens when it is hit,
 * how scopes nest and end, forks, and what all of this costs.
 */
#ifndef TALLY_LIMITS_H
#define TALLY_LIMITS_H

#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* What an exceeded scope does to malloc. */
enum limit_action {
    LIMIT_FLAG,  /* nothing: the program polls */
    LIMIT_ENOMEM /* it fails */
};

/*
 * The caller owns it from begin to end, best on its stack. The scope that began
 * last ends first, and before its stack is left. It needs no value at first.
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
 * `set` must be 0 at first. The program sets it to 1 by `token.set = 1;` in any
 * thread or signal handler, and never unsets it. In C++ the field is plain:
 * __atomic_store_n(&token.set, 1, __ATOMIC_SEQ_CST). A token may serve several
 * scopes. The caller owns it at least as long as they are open.
 */
struct limit_token {
#ifdef __cplusplus
    int set;
#else
    _Atomic int set;
#endif
};

/*
 * The limit of the whole process: how many bytes of malloc's all its threads
 * may hold. Negative, as at first: no limit. It hits scopes of
 * limits_begin_global(), also open ones. Bytes are as malloc_usable_size()
 * says; docs/limits.md says how exact that is. After the first call that is not
 * negative, each allocation and free of every thread is counted.
 */
void limits_set_global(int64_t live_bytes);

/*
 * Begin a scope. What hits it:
 *
 *   limits_begin_allocation()  what this thread allocates in it, freed or not:
 *                              of a limit of N bytes N - 1 can be used
 *   limits_begin_live()        what this thread allocates in it, less what it
 *                              frees
 *   limits_begin_shared()      what all threads that joined it by limits_join()
 *                              allocate, together at most bytes - 1
 *   limits_begin_global()      what the process holds: limits_set_global()
 *   limits_begin_token()       the token; one that is set already hits at once
 *
 * 0, or nothing has begun (the values are errno's, negative):
 *
 *   -EINVAL   scope, token or the shared scope is NULL; no such action;
 *             `shared` is no open shared scope; this scope is open already
 *   -ENOTSUP  malloc is not counted in this process
 *   -ENOMEM   no memory for what is kept of a thread or of 36 scopes
 *
 * A scope that was left without limits_end() may begin again; docs/limits.md
 * says how it is told from an open one. limits_end() of a joined scope reports
 * the bytes of its thread, and of the shared scope those of all that have
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
 * Call back once when an open scope of this thread has used `bytes` of its
 * limit, as its kind counts. The callback gets the bytes that are used. It runs
 * in this thread, after the allocation and before the program gets the block.
 * It may call all of this header, but not leave by longjmp or an exception.
 * What it allocates counts as held only, and is never refused. A later call
 * replaces it; NULL: none. 0, or -EINVAL: the scope is not open in this thread.
 */
int limits_on_threshold(struct limit_scope *scope, uint64_t bytes,
                        void (*callback)(void *context, uint64_t bytes),
                        void *context);

/*
 * The budget of this name in the environment variable TALLY_LIMITS, a list like
 * "request=8M,cache=2G"; `otherwise` where it has none.
 *
 *     limits_begin_allocation(&scope, limits_budget("request", 8 << 20),
 *                             LIMIT_ENOMEM);
 */
uint64_t limits_budget(const char *name, uint64_t otherwise);

/*
 * End a scope. 1: its own limit was hit, as seen by this thread; 0: it was not;
 * -EINVAL: it is not open in this thread. Scopes inside it that are still open
 * end as well. `*bytes_allocated`, unless NULL, is what this thread has
 * allocated in it and in inner scopes; of limits_begin_live() what it holds, or
 * 0 if that is below zero.
 */
int limits_end(struct limit_scope *scope, uint64_t *bytes_allocated);

/*
 * 1: a scope that the calling thread is in was hit, and it is not masked; else
 * 0. Any context.
 */
int limits_interrupted(void);

/*
 * Between these, this thread is not interrupted, and malloc does not fail
 * because of limits: code that takes or gives back what must not be lost runs
 * to its end. All is counted as ever; what was hit shows when the section has
 * ended. Sections nest; an end without a begin does nothing.
 */
void limits_mask_begin(void);
void limits_mask_end(void);

/*
 * As OCaml's memprof-limits, for scopes that begin from now on: each word is
 * sampled with this rate, and each sample charges round(1/rate) words to every
 * scope around it (docs/limits.md). 0 goes back to exact; a rate that is NaN or
 * outside 0 to 1 changes nothing.
 */
void limits_use_sampling(double sampling_rate);

/* A scope that ends when its block is left, unless it was ended before. */
#define LIMIT_SCOPE(name) \
    __attribute__((cleanup(tally_limit_scope_end))) struct limit_scope name

static inline void tally_limit_scope_end(struct limit_scope *scope)
{
    limits_end(scope, (uint64_t *)0);
}

TALLY_END_DECLS

#ifdef __cplusplus
namespace tally
{
/*
 * The same in C++: ends with its block, by exceptions, too.
 *
 *     tally::limit_guard guard;
 *
 *     limits_begin_allocation(guard.scope(), 8 << 20, LIMIT_ENOMEM);
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
