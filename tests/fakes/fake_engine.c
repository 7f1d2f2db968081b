/* SPDX-License-Identifier: Apache-2.0 */
/* fake_engine.c - functions of engine.h without a ledger and a loader */
#include "core/accounts/engine.h"
#include "format/ledger/segments_layout.h"
#include "tally/hook.h"

void engine_prepare(void)
{
}

void engine_never(void)
{
}

void engine_move_site(uint32_t site, uintptr_t key)
{
    (void)site;
    (void)key;
}

void engine_leave(const void *address)
{
    (void)address;
}

/* This process prints its tags itself, and an account takes memory. */
bool engine_wants_all_tags(void)
{
    return false;
}

/* Pretend that references can name no more. */
bool engine_is_exhausted(void)
{
    return tally_site_count() ==
           LEDGER_DIRECTORY_CAPACITY * LEDGER_SITES_PER_SEGMENT - 1;
}

bool engine_is_recorded(void)
{
    return false;
}

bool engine_has_ledger(void)
{
    return false;
}

struct ledger_region *engine_write_region(struct ledger_region *region,
                                          enum ledger_region_kind kind,
                                          uintptr_t address, const char *name)
{
    (void)region;
    (void)kind;
    (void)address;
    (void)name;
    return NULL;
}
