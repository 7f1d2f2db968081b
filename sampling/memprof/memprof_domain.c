/* SPDX-License-Identifier: Apache-2.0 */
/* memprof_domain.c - sets of threads, and the profile that each set has */
#include <string.h>

#include "core/base/own_memory.h"
#include "sampling/memprof/memprof_domain.h"
#include "sampling/memprof/memprof_state.h"

enum { DOMAINS_AT_ONCE = 4096 / sizeof(struct memprof_domain) };

static struct memprof_domain first = { .is_first = true, .is_taken = true };

/* With the lock held; domains that have ended are used again. */
static struct memprof_domain *others;
static uint32_t other_count;

struct memprof_domain *memprof_domain_of(struct counted_thread *thread)
{
    struct memprof_domain *domain =
        thread == NULL ? NULL : memprof_room(thread)->domain;

    return domain != NULL ? domain : &first;
}

void memprof_domain_join(struct memprof_thread *room)
{
    if (room->domain == NULL)
        __atomic_store_n(&room->domain, &first, __ATOMIC_RELAXED);
}

void memprof_domain_set(struct memprof_domain *domain, struct memprof *profile)
{
    struct memprof *before = domain->profile;

    if (profile != NULL)
        profile->domains++;
    __atomic_store_n(&domain->profile, profile, __ATOMIC_RELEASE);
    if (before == NULL)
        return;
    before->domains--;
    if (before->domains == 0)
        memprof_end_sampling(before);
}

void memprof_domain_leave(struct memprof_domain *domain)
{
    if (domain->is_first || --domain->threads > 0)
        return;
    memprof_domain_set(domain, NULL);
    domain->is_taken = false;
    other_count--;
}

void memprof_domains_forget(void)
{
    memset(&first, 0, sizeof first);
    first.is_first = first.is_taken = true;
    others = NULL;
    other_count = 0;
}

bool memprof_domains_are_many(void)
{
    return other_count != 0;
}

static struct memprof_domain *take_domain(void)
{
    static struct own_memory own = OWN_MEMORY;
    struct memprof_domain *domain = others;

    while (domain != NULL && domain->is_taken)
        domain = domain->next;
    if (domain != NULL)
        return domain;
    domain = own_memory_alloc(&own, DOMAINS_AT_ONCE * sizeof *domain);
    if (domain == NULL)
        return NULL;
    for (size_t i = 0; i < DOMAINS_AT_ONCE; i++) {
        domain[i].next = others;
        others = &domain[i];
    }
    return others;
}

bool memprof_domain_make(struct counted_thread *thread)
{
    struct memprof_domain *left = memprof_domain_of(thread);
    struct memprof_domain *made = take_domain();

    if (made == NULL)
        return false;
    made->is_taken = true;
    made->threads = 1;
    made->profile = NULL;
    other_count++;
    memprof_domain_set(made, left->profile);
    __atomic_store_n(&memprof_room(thread)->domain, made, __ATOMIC_RELAXED);
    memprof_domain_leave(left);
    return true;
}

struct memprof_domain *memprof_domain_hold(void)
{
    struct counted_thread *thread = countdown_thread_if_any();
    struct memprof_domain *domain = memprof_domain_of(thread);

    if (domain->is_first)
        return NULL;
    memprof_lock();
    domain->threads++;
    memprof_unlock();
    return domain;
}

void memprof_domain_drop(struct memprof_domain *domain)
{
    memprof_lock();
    memprof_domain_leave(domain);
    memprof_turn_unless_so();
    memprof_unlock();
}

void memprof_domain_enter(struct memprof_domain *domain)
{
    struct counted_thread *thread = countdown_thread_make();

    if (thread != NULL)
        __atomic_store_n(&memprof_room(thread)->domain, domain,
                         __ATOMIC_RELAXED);
    else
        memprof_domain_drop(domain);
}
