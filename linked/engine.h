/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h - which library records */
#pragma once

#include "ledger/blocks/engine_table.h"

/* The recorder's table, once engine_open() (core/accounts/engine.h) has found
   it. NULL: this library records. */
extern const struct engine_table *engine_of_recorder;
