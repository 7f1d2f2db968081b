/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_error.c - sentences for ledger errors */
#include "format/ledger/ledger_reader.h"

struct error_text {
    const char *why;
    const char *advice;
};

static const struct error_text *find_text(int error)
{
    static const struct error_text unknown = { "an unknown error",
                                               "record again" };
    static const struct error_text texts[] = {
#define ERROR(name, value, why, advice) [-(value)] = { why, advice },
#define DAMAGE(name, value, why) \
    [-(value)] = { why, "the file is damaged; record again" },
        LEDGER_ERROR_LIST(ERROR) LEDGER_DAMAGE_LIST(DAMAGE)
    };
    int count = (int)(sizeof texts / sizeof texts[0]);

    return error <= 0 && error > -count ? &texts[-error] : &unknown;
}

const char *ledger_error_why(int error)
{
    return find_text(error)->why;
}

const char *ledger_error_advice(int error)
{
    return find_text(error)->advice;
}
