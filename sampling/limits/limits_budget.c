/* SPDX-License-Identifier: Apache-2.0 */
/* limits_budget.c - see limits_budget.h. The text may come from anywhere. */
#include "sampling/limits/limits_budget.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/console_line.h"
#include "sampling/countdown/countdown.h"

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
                          uint64_t otherwise, unsigned *wrong)
{
    size_t length = strlen(name);
    bool is_found = length == 0;
    uint64_t bytes;

    *wrong = 0;
    for (unsigned i = 1; text != NULL && *text != '\0'; i++) {
        size_t end = strcspn(text, "=,");
        bool is_whole =
            end != 0 && text[end] == '=' && read_bytes(text + end + 1, &bytes);

        if (!is_whole && *wrong == 0 && *text != ',')
            *wrong = i;
        if (is_whole && !is_found && end == length &&
            strncmp(text, name, length) == 0) {
            is_found = true;
            otherwise = bytes;
        }
        text = strchr(text, ',');
        text += text != NULL;
    }
    return otherwise;
}

/* The text may say anything, so the line does not repeat it. */
static void complain(unsigned piece)
{
    static uint32_t is_said;
    struct console_line line;

    if (piece == 0 || __atomic_exchange_n(&is_said, 1, __ATOMIC_RELAXED) != 0)
        return;
    line = console_line("TALLY_LIMITS: piece ");
    console_line_add_number(&line, piece);
    console_line_add(&line, " is not NAME=BYTES, where K, M, G or T may follow "
                            "the bytes; it counts as not there");
    console_line_say(&line);
}

uint64_t limits_budget_of(const char *name, uint64_t otherwise)
{
    unsigned wrong;

    if (name == NULL || countdown_carrier.setting == NULL)
        return otherwise;
    otherwise = limits_budget_in(countdown_carrier.setting("TALLY_LIMITS"),
                                 name, otherwise, &wrong);
    complain(wrong);
    return otherwise;
}
