/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label.h - label allocations by the work they belong to
 *
 *     uint32_t before = tally_label_set("tenant", "a");
 *
 *     answer = handle(request);
 *     tally_label_use(before);
 *
 * Under `tally record`, a block is charged to the stack that allocated it and
 * to the label of the allocating thread at that time, whichever thread frees
 * it:
 *
 *     tally report --by=label FILE
 *
 * A label is a set of up to 8 KEY=VALUE pairs, such as tenant=a and
 * route=/login. tally_label_set() adds a pair to the calling thread's label, or
 * changes the value of its key. It returns the previous label, so that scopes
 * nest.
 *
 * Threads: each thread has its own label, initially none. pthread_create() and
 * thrd_create() pass the creator's label on. A thread pool passes labels with
 * the work:
 *
 *     job->label = tally_label_get();             // submitter
 *
 *     uint32_t before = tally_label_use(job->label); // worker
 *     job->run(job);
 *     tally_label_use(before);
 *
 * A label stays in use if an exception or longjmp skips its end. In C++
 * tally::label_guard restores the previous label; where a longjmp lands, use
 * the label that tally_label_get() returned before setjmp.
 *
 * A forked child keeps its parent's labels; exec clears them. All functions may
 * be called in any thread and in signal handlers. They take no lock, do not
 * call malloc, and preserve errno.
 *
 * Limits: a process can have 1,000 labels. After that, a new label gets the
 * value `other` for the pair that was set. If that does not fit either, the
 * thread's label stays unchanged. The report says how often this happened. Keys
 * are truncated to 31 bytes, values to 71; they may contain any bytes but NUL.
 *
 * Cost: tally_label_use() and tally_label_get() take 1 to 3 ns.
 * tally_label_set() takes about 4 ns if an earlier call had the same two
 * pointers to the same text of up to 7 bytes, plus 0.5 ns for each further 8
 * bytes. Otherwise it hashes the text and looks it up, in about 50 ns. The
 * first call of a process takes longer: all stacks are unwound again. Each
 * allocation costs one more comparison.
 *
 * The recorder (libtally-record, linked or preloaded by `tally record`) keeps
 * labels if it records whole stacks (--stacks=all or sampled). Otherwise all
 * three functions do nothing and return 0.
 */
#ifndef TALLY_LABEL_H
#define TALLY_LABEL_H

#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/*
 * Set one pair of the calling thread's label. `value` NULL removes the pair;
 * `key` NULL or empty changes nothing. Both are NUL-terminated and copied.
 * Return the previous label, for tally_label_use().
 */
uint32_t tally_label_set(const char *key, const char *value);

/*
 * Set the calling thread's label to one that a function of this header returned
 * in this process; 0 or any other number means none. Return the previous label.
 */
uint32_t tally_label_use(uint32_t label);

/* Return the calling thread's label; 0: none. Valid while the process runs. */
uint32_t tally_label_get(void);

TALLY_END_DECLS

#ifdef __cplusplus
namespace tally
{
/*
 * Label for C++: the previous one returns with the end of the block, also on
 * exceptions.
 *
 *     tally::label_guard tenant("tenant", "a");
 */
class label_guard
{
  public:
    label_guard(const char *key, const char *value)
        : before_(tally_label_set(key, value))
    {
    }
    explicit label_guard(uint32_t label) : before_(tally_label_use(label))
    {
    }
    ~label_guard()
    {
        tally_label_use(before_);
    }

  private:
    label_guard(const label_guard &);
    label_guard &operator=(const label_guard &);

    uint32_t before_;
};
} // namespace tally
#endif

#endif
