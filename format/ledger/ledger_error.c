/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_error.c - a sentence for each thing that can be wrong
 */
#include "format/ledger/ledger_error.h"

struct error_text {
    const char *why;
    const char *advice;
};

static const struct error_text error_texts[] = {
#define LEDGER_ERROR_TEXT(name, value, why, advice) \
    [-(value)] = { why, advice },
    LEDGER_ERROR_LIST(LEDGER_ERROR_TEXT)
#undef LEDGER_ERROR_TEXT
};

static const struct error_text *find_text(int error)
{
    static const struct error_text unknown = { "an unknown error",
                                               "record again" };
    int count = (int)(sizeof error_texts / sizeof error_texts[0]);

    return error <= 0 && error > -count ? &error_texts[-error] : &unknown;
}

const char *ledger_error_why(int error)
{
    return find_text(error)->why;
}

const char *ledger_error_advice(int error)
{
    return find_text(error)->advice;
}
