/* SPDX-License-Identifier: Apache-2.0 */
/* Two functions that follow one another, of 16 and 32 bytes. */
#ifdef __thumb__
    .thumb
#endif
    .text
    .globl make_buffer
    .type make_buffer, %function
make_buffer:
    .skip 16, 0
    .size make_buffer, .-make_buffer
    .globl drop_buffer
    .type drop_buffer, %function
drop_buffer:
    .skip 32, 0
    .size drop_buffer, .-drop_buffer
#ifdef __ELF__
    .section .note.GNU-stack, "", %progbits
#endif
