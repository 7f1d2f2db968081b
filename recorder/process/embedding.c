/* SPDX-License-Identifier: Apache-2.0 */
/* embedding.c - the recorder as the accounts see it: ledger/record/embedding.h */
#include "ledger/record/embedding.h"

#include <string.h>

#include "recorder/calls/mode.h"
#include "recorder/events/events.h"
#include "recorder/maps/map_accounts.h"
#include "recorder/process/own_session.h"
#include "recorder/real_functions.h"
#include "recorder/samples/samples.h"

bool embedding_has_glibc(void)
{
    return real_has_glibc();
}

bool embedding_is_libc(void)
{
    return real_is_libc();
}

void embedding_choose_mode(void)
{
    mode_choose();
}

bool embedding_claim(struct session_claim *claim)
{
    if (!session_claim_first(claim) && !own_session_claim(claim))
        return false;
    if (real_is_past_executable() && claim->own_allocator[0] == '\0')
        strcpy(claim->own_allocator, "malloc");
    return true;
}

void embedding_open(const struct session_claim *claim)
{
    events_open(claim);
}

void embedding_begin_samples(const struct session_claim *claim)
{
    samples_begin(claim);
}

uint64_t embedding_map_table(void)
{
    return map_accounts_table();
}

uint64_t embedding_inherit(void)
{
    return map_accounts_inherit();
}
