/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.h - a line for each check, and the status of the program */
#pragma once

#include <stdbool.h>

#include "board.h"

static int verdict_failures;

static inline void check(const char *what, bool is_so)
{
    board_print(is_so ? "ok: " : "NOT SO: ");
    board_print(what);
    board_print("\n");
    verdict_failures += !is_so;
}
