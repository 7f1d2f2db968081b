/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h - the one list of errors
 *
 *     int error = tally_account_start();
 *
 *     if (error != TALLY_OK)
 *         puts(tally_error_sentence(error));
 *
 * Functions that can fail because the world failed return 0 or one of these
 * negative codes; positive values stay free for counts. If a contract is
 * broken, an assertion fails; if an event could not be recorded, a counter says
 * so: these have no code.
 */
#ifndef TALLY_ERROR_H
#define TALLY_ERROR_H

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* name, value, what it means */
#define TALLY_ERROR_LIST(X)                                     \
    X(TALLY_OK, 0, "done")                                      \
    X(TALLY_E_NO_MEMORY, -1, "the platform has no memory left") \
    X(TALLY_E_FULL, -2, "a table of fixed size is full")        \
    X(TALLY_E_INVALID, -3, "an argument is outside its range")

__extension__ enum tally_error {
#define TALLY_ERROR_ENUM(name, value, sentence) name = (value),
    TALLY_ERROR_LIST(TALLY_ERROR_ENUM)
#undef TALLY_ERROR_ENUM
};

/* The sentence that belongs to `error`, static, never NULL. Any context. */
const char *tally_error_sentence(int error);

TALLY_END_DECLS

#endif /* TALLY_ERROR_H */
