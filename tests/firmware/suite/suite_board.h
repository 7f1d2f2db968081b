/* SPDX-License-Identifier: Apache-2.0 */
/* suite_board.h - functions that a test needs of its board in QEMU */
#pragma once

/* Print a text and a newline on QEMU's console. */
void suite_board_print(const char *text);

/* End QEMU with this status. */
_Noreturn void suite_board_exit(int status);

/* Print why the test cannot go on, and end QEMU. */
_Noreturn void suite_board_give_up(const char *why);

/* Run main(), from the machine's reset; its other handlers call fault(). */
_Noreturn void suite_board_start(void);
_Noreturn void suite_board_fault(void);

int main(void);
