/* SPDX-License-Identifier: Apache-2.0 */
/* memprof_domain.h - how a thread comes into the domain of its creator */
#ifndef TALLY_CORE_MEMPROF_DOMAIN_H
#define TALLY_CORE_MEMPROF_DOMAIN_H

#include <stdbool.h>

struct counted_thread;
struct memprof_domain;

/*
 * The domain of the calling thread, which lives on until a thread that is about to be
 * made enters or drops it. NULL: the first, which needs no such care.
 */
struct memprof_domain *memprof_domain_hold(void);
void memprof_domain_enter(struct memprof_domain *domain);
void memprof_domain_drop(struct memprof_domain *domain);

/* Move a thread into a domain of its own; false: no memory. With the lock held. */
bool memprof_domain_make(struct counted_thread *thread);

#endif /* TALLY_CORE_MEMPROF_DOMAIN_H */
