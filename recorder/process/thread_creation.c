/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_creation.c - a new thread is in the domain of its creator
 *
 * Only where that is not the first domain of tally/memprof.h is there anything
 * to do; what it takes lies in pages of our own, for nothing here may allocate.
 * libc's thrd_create does not come by its pthread_create.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "core/base/own_memory.h"
#include "recorder/real_functions.h"
#include "sampling/memprof/memprof_state.h"

struct creation {
    union {
        void *(*by_pthread)(void *);
        thrd_start_t by_thrd;
    } run;
    void *argument;
    struct memprof_domain *domain;
};

static struct own_memory *own_pages(void)
{
    static struct own_memory own = OWN_MEMORY;

    return &own;
}

static struct creation *plan(struct memprof_domain *domain, void *argument)
{
    struct creation *creation = own_memory_alloc(own_pages(), sizeof *creation);

    if (creation == NULL)
        return NULL;
    creation->argument = argument;
    creation->domain = domain;
    return creation;
}

/* In the new thread. */
static struct creation enter(void *created)
{
    struct creation creation = *(struct creation *)created;

    own_memory_free(own_pages(), created, sizeof creation);
    memprof_domain_enter(creation.domain);
    return creation;
}

static void give_up(struct memprof_domain *domain, struct creation *creation)
{
    memprof_domain_drop(domain);
    if (creation != NULL)
        own_memory_free(own_pages(), creation, sizeof *creation);
}

static void *begin(void *created)
{
    struct creation creation = enter(created);

    return creation.run.by_pthread(creation.argument);
}

static int begin_thrd(void *created)
{
    struct creation creation = enter(created);

    return creation.run.by_thrd(creation.argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *argument)
{
    struct memprof_domain *domain = memprof_domain_hold();
    struct creation *creation;
    int error = EAGAIN;

    if (domain == NULL)
        return REAL(pthread_create)(thread, attributes, run, argument);
    creation = plan(domain, argument);
    if (creation != NULL) {
        creation->run.by_pthread = run;
        error = REAL(pthread_create)(thread, attributes, begin, creation);
    }
    if (error != 0)
        give_up(domain, creation);
    return error;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    struct memprof_domain *domain = memprof_domain_hold();
    struct creation *creation;
    int result = thrd_nomem;

    if (domain == NULL)
        return REAL(thrd_create)(thread, run, argument);
    creation = plan(domain, argument);
    if (creation != NULL) {
        creation->run.by_thrd = run;
        result = REAL(thrd_create)(thread, begin_thrd, creation);
    }
    if (result != thrd_success)
        give_up(domain, creation);
    return result;
}
