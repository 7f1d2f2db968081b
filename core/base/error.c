/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - texts of error.h */
#include "tally/error.h"

const char *tally_error_sentence(int error)
{
    switch (error) {
#define ERROR_CASE(name, value, text) \
    case value:                       \
        return text;
        TALLY_ERROR_LIST(ERROR_CASE)
#undef ERROR_CASE
    default:
        return "unknown error";
    }
}
