/* SPDX-License-Identifier: Apache-2.0 */
/* cortex_r.c - the vectors of a Cortex-R, which starts without Thumb */
#include "suite_board.h"

__asm(".section .vectors, \"ax\"\n"
      ".arm\n"
      ".global reset\n"
      "reset: b start\n"
      "b fault\n" /* undefined instruction */
      "b fault\n" /* svc */
      "b fault\n" /* prefetch abort */
      "b fault\n" /* data abort */
      "b fault\n"
      "b fault\n" /* IRQ */
      "b fault\n" /* FIQ */
      "start: ldr sp, =stack_end\n"
      "cpsie i\n"
      "ldr pc, =suite_board_start\n"
      "fault: cps #0x1f\n" /* system mode, with start's stack */
      "ldr sp, =stack_end\n"
      "ldr pc, =suite_board_fault\n"
      ".ltorg\n"
      ".text\n"
      ".thumb\n");
