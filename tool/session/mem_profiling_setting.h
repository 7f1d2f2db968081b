/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_profiling_setting.h - the kernel's boot parameter, for one recording
 *
 *     [sysctl.]vm.mem_profiling={0|1|never}[,compressed]
 */
#ifndef TALLY_TOOL_SESSION_MEM_PROFILING_SETTING_H
#define TALLY_TOOL_SESSION_MEM_PROFILING_SETTING_H

#include "tool/session/session_file.h"

/* Returns 0, or -1 with `settings` untouched when the kernel would refuse. */
int mem_profiling_parse(const char *setting, struct session_settings *settings);

#endif /* TALLY_TOOL_SESSION_MEM_PROFILING_SETTING_H */
