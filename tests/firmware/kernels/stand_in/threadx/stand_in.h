/* SPDX-License-Identifier: Apache-2.0 */
/* stand_in.h - what a test makes the stand-in do */
#pragma once

#include "tx_api.h"

extern ULONG threadx_ticks;
extern TX_THREAD *threadx_current; /* NULL: before threads */
