/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left_session.h - what tally attach made, and has left its processes with
 *
 * They hold the session further, for the code in them that nothing calls any
 * more, and its accounts stay as they were then.
 */
#pragma once

#include <stdbool.h>

/* Whether that is what the file is. */
bool session_is_left(int session);
