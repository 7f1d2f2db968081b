/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find_jumps.h - the recorder's jumps in a process, as its memory shows
 *
 * Nothing that the process or its session says is believed: the code of each
 * mapped file is compared with the file. A jump is the recorder's if it leads
 * to one of its ways (format/ledger/patch_plan.h), and all that will be written
 * back are the bytes that the file has there.
 */
#pragma once

#include <stdbool.h>

#include "tool/attach/jumps.h"

/*
 * Fill `list`; the process runs meanwhile. False: a jump lies in a file that
 * cannot be reached, or there are more than JUMP_CAPACITY.
 */
bool jumps_find(const struct tracee *tracee, struct jump_list *list);
