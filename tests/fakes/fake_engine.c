/* SPDX-License-Identifier: Apache-2.0 */
/* fake_engine.c - what hook.c has no use for: no ledger, and no loader */
#include "core/accounts/engine.h"

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

/* This process prints them itself, and an account takes memory. */
bool engine_wants_all_tags(void)
{
    return false;
}

bool engine_is_recorded(void)
{
    return false;
}

bool engine_has_ledger(void)
{
    return false;
}
