/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_creation.c - a new thread is in the domain of its creator
 *
 * Only where that is not the first domain of tally/memprof.h is there anything to
 * do; what it takes lies in pages of our own, for nothing here may allocate.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

#include "core/memprof_domain.h"
#include "core/own_memory.h"
#include "recorder/real_functions.h"

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *argument);

struct creation {
    void *(*run)(void *);
    void *argument;
    struct memprof_domain *domain;
};

static struct own_memory *own_pages(void)
{
    static struct own_memory own = OWN_MEMORY;

    return &own;
}

static void *begin(void *created)
{
    struct creation creation = *(struct creation *)created;

    own_memory_free(own_pages(), created, sizeof creation);
    memprof_domain_enter(creation.domain);
    return creation.run(creation.argument);
}

static int create_in(struct memprof_domain *domain, pthread_t *thread,
                     const pthread_attr_t *attributes, void *(*run)(void *),
                     void *argument)
{
    struct creation *creation = own_memory_alloc(own_pages(), sizeof *creation);
    int error = EAGAIN;

    if (creation != NULL) {
        *creation = (struct creation){ run, argument, domain };
        error = REAL(pthread_create)(thread, attributes, begin, creation);
    }
    if (error == 0)
        return 0;
    memprof_domain_drop(domain);
    if (creation != NULL)
        own_memory_free(own_pages(), creation, sizeof *creation);
    return error;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*run)(void *), void *argument)
{
    struct memprof_domain *domain = memprof_domain_hold();

    return domain == NULL
               ? REAL(pthread_create)(thread, attributes, run, argument)
               : create_in(domain, thread, attributes, run, argument);
}
