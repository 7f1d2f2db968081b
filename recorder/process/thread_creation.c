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

static struct own_memory own_pages = OWN_MEMORY_OF("own_pages");

/* In the new thread. */
static struct creation enter(void *created)
{
    struct creation creation = *(struct creation *)created;

    own_memory_free(&own_pages, created, sizeof creation);
    memprof_domain_enter(creation.domain);
    return creation;
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

/*
 * Create a thread in its creator's domain. `plain` does without that; `planned`
 * makes it begin by what `creation` says.
 */
#define CREATE(plain, planned, by, no_memory)                             \
    struct memprof_domain *domain = memprof_domain_hold();                \
    struct creation *creation;                                            \
    int error = no_memory;                                                \
                                                                          \
    if (domain == NULL)                                                   \
        return plain;                                                     \
    creation = own_memory_alloc(&own_pages, sizeof *creation);            \
    if (creation != NULL) {                                               \
        *creation = (struct creation){ { .by = run }, argument, domain }; \
        error = planned;                                                  \
    }                                                                     \
    if (error != 0)                                                       \
        memprof_domain_drop(domain);                                      \
    if (error != 0 && creation != NULL)                                   \
        own_memory_free(&own_pages, creation, sizeof *creation);          \
    return error

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *argument)
{
    CREATE(REAL(pthread_create)(thread, attributes, run, argument),
           REAL(pthread_create)(thread, attributes, begin, creation),
           by_pthread, EAGAIN);
}

_Static_assert(thrd_success == 0, "any other result is an error");

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    CREATE(REAL(thrd_create)(thread, run, argument),
           REAL(thrd_create)(thread, begin_thrd, creation), by_thrd,
           thrd_nomem);
}
