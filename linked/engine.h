/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - whose accounts these are
 */
#pragma once

#include "ledger/record/engine_table.h"

/*
 * The recorder's, once engine_open() (core/accounts/engine.h) has found it;
 * NULL: the accounts are this library's own.
 */
extern const struct engine_table *engine_of_recorder;
