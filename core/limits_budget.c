/* SPDX-License-Identifier: Apache-2.0 */
/* limits_budget.c - see limits_budget.h. The text may come from anywhere. */
#if __STDC_HOSTED__
#include "core/limits_budget.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/countdown.h"

#define UNITS "KMGT"

/* The whole item up to a comma, with one unit at most. */
static bool read_bytes(const char *text, uint64_t *bytes)
{
    const char *unit;
    uint64_t sum = 0;

    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(*text - '0'), &sum))
            return false;
    }
    unit = *text != '\0' ? strchr(UNITS, *text) : NULL;
    if (unit != NULL) {
        unsigned shift = 10 * (unsigned)(unit - UNITS + 1);

        if (sum > UINT64_MAX >> shift)
            return false;
        sum <<= shift;
        text++;
    }
    *bytes = sum;
    return *text == '\0' || *text == ',';
}

uint64_t limits_budget_in(const char *text, const char *name,
                          uint64_t otherwise)
{
    size_t length = strlen(name);
    uint64_t bytes;

    while (text != NULL && *text != '\0') {
        if (strncmp(text, name, length) == 0 && text[length] == '=')
            return read_bytes(text + length + 1, &bytes) ? bytes : otherwise;
        text = strchr(text, ',');
        text += text != NULL;
    }
    return otherwise;
}

uint64_t limits_budget_of(const char *name, uint64_t otherwise)
{
    return name == NULL || countdown_carrier.setting == NULL
               ? otherwise
               : limits_budget_in(countdown_carrier.setting("TALLY_LIMITS"),
                                  name, otherwise);
}
#else
typedef int limits_budget_is_for_hosts;
#endif
