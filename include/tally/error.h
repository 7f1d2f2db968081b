/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h - error codes
 *
 *     int error = tally_account_start();
 *
 *     if (error != TALLY_OK)
 *         puts(tally_error_sentence(error));
 *
 * Functions that can fail return 0 or one of these negative codes; positive
 * values are counts. Two kinds of failure have no code: a broken contract fails
 * an assertion, and an event that could not be recorded is counted.
 */
#ifndef TALLY_ERROR_H
#define TALLY_ERROR_H

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* name, value, meaning */
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

/* Return the static text of `error`, never NULL. Any context. */
const char *tally_error_sentence(int error);

TALLY_END_DECLS

#endif /* TALLY_ERROR_H */
