/* SPDX-License-Identifier: Apache-2.0 */
/* slabs.c - slabs and heaps of libtally within limits: sampled, never
   refused */
#include <stdint.h>
#include <stdlib.h>

#include "tally/k_heap.h"
#include "tally/limits.h"
#include "tally/mem_slab.h"
#include "tally/memprof.h"
#include "tests/limits/expect.h"

K_MEM_SLAB_DEFINE(slab, 400, 6, 8);
K_HEAP_DEFINE(heap, 4096);

static volatile unsigned calls;

static void *told(const struct memprof_allocation *allocation, void *context)
{
    (void)allocation;
    (void)context;
    calls++;
    return NULL;
}

static void use_both(const char *subject)
{
    void *block = NULL, *piece;

    expect(subject, "a slab gives",
           k_mem_slab_alloc(&slab, &block, K_NO_WAIT) == 0);
    piece = k_heap_alloc(&heap, 500, K_NO_WAIT);
    expect(subject, "and a heap", piece != NULL);
    k_mem_slab_free(&slab, block);
    k_heap_free(&heap, piece);
}

static void nothing_is_charged(const char *subject)
{
    struct limit_scope scope;
    uint64_t bytes;

    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    use_both(subject);
    use_both(subject);
    expect(subject, "not hit", limits_interrupted() == 0);
    expect(subject, "nothing is charged",
           limits_end(&scope, &bytes) == 0 && bytes == 0);
}

static void nothing_is_refused(void)
{
    struct limit_token token = { 1 };
    struct limit_scope scope;

    limits_begin_token(&scope, &token, LIMIT_ENOMEM);
    use_both("token");
    expect("token", "malloc is", malloc(1) == NULL);
    limits_end(&scope, NULL);
}

int main(void)
{
    const struct memprof_tracker tracker = { .alloc_minor = told };
    struct memprof *profile;

    use_both("before");
    nothing_is_charged("exact");
    nothing_is_refused();
    limits_use_sampling(1);
    nothing_is_charged("sampled");
    memprof_start(1, 0, &tracker, &profile);
    nothing_is_charged("with a profile");
    expect("with a profile", "each is sampled", calls == 4);
    memprof_stop();
    memprof_discard(profile);
    return expect_status();
}
