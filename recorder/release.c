/* SPDX-License-Identifier: Apache-2.0 */
/* release.c - giving back a block that is not like most; see release.h */
#include "recorder/release.h"

#include "ledger/shadow.h"

void release_settling(void *block, struct reference freed)
{
    record_settle_free(freed);
    real.free(block);
}

void release_slow(void *block)
{
    if (record_is_on() || thread_shard() == NULL ||
        (!shadow_is_empty() && shadow_get(block).id != 0))
        record_free_slow(block);
    real.free(block);
}
