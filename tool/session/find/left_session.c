/* SPDX-License-Identifier: Apache-2.0 */
/* left_session.c - see left_session.h */
#include "tool/session/find/left_session.h"

#include <unistd.h>

#include "format/ledger/session_layout.h"

bool session_is_left(int session)
{
    struct session_header header;

    return pread(session, &header, sizeof header, 0) == sizeof header &&
           header.attached != 0 && header.is_over != 0;
}
