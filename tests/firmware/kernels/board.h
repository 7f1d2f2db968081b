/* SPDX-License-Identifier: Apache-2.0 */
/* board.h - what programs of this folder share */
#pragma once

#include <stdbool.h>

/* Print the failure of a check, and remember it. */
void board_check(const char *what, bool holds);

/* Send one round of regions as text, below a line of its own. */
void board_send_regions(void);

/* Return main()'s status. */
int board_status(void);

/* Check that a thread's tag is in force in that thread alone. `run` makes the
   thread of this number, 0 or 1, the running one. */
void board_check_tags(void (*run)(unsigned thread));
