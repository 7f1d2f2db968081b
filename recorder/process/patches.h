/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patches.h - jumps over the entries of a malloc that the program brings itself
 */
#pragma once

#include <stdbool.h>

/*
 * As the plan in the session's open file says (format/ledger/patch_plan.h), if
 * it is for this executable. By the thread that opens the first ledger, before
 * the executable's own code runs. All or none; false: none.
 */
bool patches_apply(int fd);
