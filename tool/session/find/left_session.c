/* SPDX-License-Identifier: Apache-2.0 */
/* left_session.c - see left_session.h */
#include "tool/session/find/left_session.h"

#include <stddef.h>
#include <unistd.h>

#include "format/ledger/patch_plan.h"
#include "format/ledger/session_layout.h"

bool session_is_left(int session)
{
    uint32_t had_plan = 0, count = 1;

    return pread(session, &had_plan, sizeof had_plan,
                 offsetof(struct session_header, patches)) == sizeof had_plan &&
           had_plan != 0 &&
           pread(session, &count, sizeof count,
                 SESSION_PATCHES + offsetof(struct patch_plan, count)) ==
               sizeof count &&
           count == 0;
}
