/* SPDX-License-Identifier: Apache-2.0 */
/* riscv.c - reset and traps of a RISC-V */
#include "suite_board.h"

__asm(".section .vectors, \"ax\"\n"
      ".global reset\n"
      "reset: la sp, stack_end\n"
      "la tp, thread_words\n"
      "la t0, fault\n"
      "csrw mtvec, t0\n"
      "csrsi mstatus, 8\n" /* MIE */
      "tail suite_board_start\n"
      ".balign 4\n"
      "fault: la sp, stack_end\n"
      "tail suite_board_fault\n"
      ".text\n");
