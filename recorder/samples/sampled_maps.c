/* SPDX-License-Identifier: Apache-2.0 */
/* sampled_maps.c - files come and go; see sampled_maps.h */
#define _GNU_SOURCE
#include "recorder/samples/sampled_maps.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "format/ledger/ledger_units.h"
#include "recorder/real_functions.h"
#include "sampling/countdown/countdown.h"
#include "sampling/memprof/memprof_client.h"

#define ADDRESS_LIMIT ((uintptr_t)1 << 47)

void *sampled_map(void *mapped, size_t size, int flags)
{
    int kept = errno;

    if (mapped == MAP_FAILED || !countdown_is_on())
        return mapped;
    if ((flags & MAP_FIXED) != 0)
        sampled_unmap(mapped, size);
    if ((flags & MAP_ANONYMOUS) == 0 && !memprof_mapped(mapped, size, NULL)) {
        real.munmap(mapped, size);
        errno = ENOMEM;
        return MAP_FAILED;
    }
    errno = kept;
    return mapped;
}

void sampled_unmap(void *at, size_t size)
{
    int kept = errno;

    if (!memprof_has_maps())
        return;
    /* Other ranges the kernel does not give back. */
    if ((uintptr_t)at % LEDGER_PAGE == 0 && size <= ADDRESS_LIMIT &&
        (uintptr_t)at <= ADDRESS_LIMIT - size)
        memprof_unmapped(at, size, LEDGER_PAGE);
    errno = kept;
}

struct tracked *sampled_lift(void *map)
{
    int kept = errno;
    struct tracked *lifted = memprof_has_maps() ? memprof_lift_map(map) : NULL;

    errno = kept;
    return lifted;
}

void sampled_put_down(struct tracked *lifted, void *map)
{
    int kept = errno;

    if (lifted != NULL)
        memprof_put_down_map(lifted, map);
    errno = kept;
}
