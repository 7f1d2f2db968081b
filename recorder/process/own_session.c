/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_session.c - see own_session.h
 *
 * Whether libtally is there is known before the first allocation by one of its
 * names, which the loader looks for as it does for all that we refer to. A program
 * that has libtally inside and was linked without the recorder does not show its
 * names: there libtally's constructor asks, and what libraries allocated before
 * is in no account.
 */
#include "recorder/process/own_session.h"

#include "format/ledger/ledger_layout.h"
#include "format/text/mem_profiling_parameter.h"
#include "ledger/record/attach.h"
#include "ports/posix/environment.h"
#include "tally/config.h"
#include "tally/hook.h"

#define SETTING "TALLY_SYSCTL"

/* libtally's alone. Hidden or local copies: see above. */
extern __typeof__(tally_account_start) tally_account_start
    __attribute__((weak));

static uint32_t is_wanted;

bool own_session_claim(struct session_claim *claim)
{
    struct mem_profiling_parameter wanted = {
        .control =
            TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING) &&
                    TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT)
                ? LEDGER_CONTROL_ON
                : LEDGER_CONTROL_NEVER,
    };
    const char *setting = environment_find(SETTING);

    if (tally_account_start != NULL)
        __atomic_store_n(&is_wanted, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&is_wanted, __ATOMIC_RELAXED) == 0 ||
        environment_find(SESSION_ENVIRONMENT) != NULL)
        return false;
    if (setting != NULL)
        (void)mem_profiling_parameter_read(setting, &wanted);
    return wanted.control != LEDGER_CONTROL_NEVER &&
           session_claim_own(wanted.control, wanted.is_compressed, claim);
}

void own_session_want(void)
{
    if (__atomic_exchange_n(&is_wanted, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (environment_find(SESSION_ENVIRONMENT) != NULL)
        return;
    process_retry();
    thread_attach();
}
