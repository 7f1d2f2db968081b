/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patches.h - a malloc that no preload reaches: the program's own, or of a
 * program that runs already
 */
#pragma once

#include <stdbool.h>

/*
 * As the plan in the session's open file says (format/ledger/patch_plan.h): for
 * this executable, by the thread that opens the first ledger, before the
 * executable's own code runs; or `*is_attached`, for this process, and the
 * jumps are not ours to write. All or none; false: none.
 */
bool patches_apply(int fd, bool *is_attached);
