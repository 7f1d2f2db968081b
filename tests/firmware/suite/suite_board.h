/* SPDX-License-Identifier: Apache-2.0 */
/* suite_board.h - what a test needs of a board: QEMU behind it */
#pragma once

/* A text with its end, on QEMU's console. */
void suite_board_print(const char *text);

/* End QEMU with this status. */
_Noreturn void suite_board_exit(int status);

/* The test cannot go on. */
_Noreturn void suite_board_give_up(const char *why);

int main(void);
