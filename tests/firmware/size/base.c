/* SPDX-License-Identifier: Apache-2.0 */
/* base.c - the board, and nothing of Tally but its clock */
#include "board.h"

int main(void)
{
    return 0;
}
