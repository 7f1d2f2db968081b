/* SPDX-License-Identifier: Apache-2.0 */
/* release.c - giving back a block that is not like most; see release.h */
#include "recorder/calls/release.h"

NOINLINE void release_settling(void *block, struct reference freed)
{
    record_flush_free(freed);
    real.free(block);
}

void release_recorded(void *block)
{
    struct reference freed;
    enum record_result result = record_free_fast(block, &freed);

    if (result == RECORD_DUE)
        record_flush_free(freed);
    else if (result == RECORD_NOT)
        record_free_slow(block);
    real.free(block);
}
