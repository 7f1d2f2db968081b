/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - whose accounts these are
 */
#ifndef TALLY_LINKED_ENGINE_H
#define TALLY_LINKED_ENGINE_H

#include "ledger/record/engine_table.h"

/*
 * The recorder's, once engine_open() (core/accounts/engine.h) has found it;
 * NULL: the accounts are this library's own.
 */
extern const struct engine_table *engine_of_recorder;

#endif /* TALLY_LINKED_ENGINE_H */
