/* SPDX-License-Identifier: Apache-2.0 */
/* hook.c - tally/hook.h in a program that links libtally: ledger/record/sites.h */
#include "tally/hook.h"

#include "core/accounts/engine.h"
#include "core/accounts/mem_profiling.h"
#include "ledger/record/sites.h"
#include "linked/engine.h"
#include "tally/error.h"

uint32_t tally_site_open(uintptr_t key)
{
    if (!mem_profiling_is_available())
        return 0;
    return engine_of_recorder != NULL ? engine_of_recorder->open_site(key, NULL)
                                      : sites_open(key, NULL);
}

uint32_t tally_site_open_place(uintptr_t key, const struct tally_place *place)
{
    return engine_of_recorder != NULL
               ? engine_of_recorder->open_site(key, place)
               : sites_open(key, place);
}

struct tally_site_account tally_site_read(uint32_t site)
{
    return engine_of_recorder != NULL ? engine_of_recorder->read_site(site)
                                      : sites_read(site);
}

uint32_t tally_site_count(void)
{
    return engine_of_recorder != NULL ? engine_of_recorder->site_count()
                                      : sites_count();
}

uint32_t tally_sites_lost(void)
{
    return engine_of_recorder != NULL ? engine_of_recorder->sites_lost()
                                      : sites_lost();
}

tally_reference tally_hook_listen_alloc(uint32_t site, size_t size)
{
    if (site == 0)
        return 0;
    return engine_of_recorder != NULL
               ? engine_of_recorder->hook_alloc(site, size)
               : sites_hook_alloc(site, size);
}

void tally_hook_listen_free(tally_reference reference, size_t size)
{
    if (engine_of_recorder != NULL)
        engine_of_recorder->hook_free(reference, size);
    else
        sites_hook_free(reference, size);
}

int tally_account_start(void)
{
    if (!mem_profiling_is_available())
        return TALLY_E_NO_MEMORY;
    engine_set_control(1);
    return TALLY_OK;
}

void tally_account_stop(void)
{
    engine_set_control(0);
}
