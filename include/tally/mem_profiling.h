/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_profiling.h - switch the recording of allocations
 *
 *     tally_sysctl("sysctl.vm.mem_profiling=1,compressed");
 *
 * The syntax is "[sysctl.]vm.mem_profiling={0|1|never}[,compressed]". 1
 * records; 0 does not, but may become 1 later; never cannot be undone and costs
 * nothing. "compressed" stores references in 16 bits. The setting takes effect
 * at the first allocation through a hook, when a tag is recorded, or when the
 * first slab or heap is initialised or used. It comes from
 *
 *   - tally_sysctl(), called before that; else
 *   - the environment, TALLY_SYSCTL='sysctl.vm.mem_profiling=1,compressed',
 *     unless the program has more privileges than its user; else
 *   - CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT.
 *
 * If the recorder is loaded, its setting applies instead: from `tally record`,
 * else the environment, else the build. A setting that does not parse is
 * ignored, with a line on stderr if it comes from the environment.
 */
#ifndef TALLY_MEM_PROFILING_H
#define TALLY_MEM_PROFILING_H

#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/*
 * Apply a setting. After the setting took effect, only 0 and 1 are valid,
 * without ",compressed"; they apply at once in all threads. Return 0, or
 * -EINVAL if it does not parse or profiling is off for good.
 */
int tally_sysctl(const char *setting);

/*
 * Read inline by the hooks; not for other use. *tally_mem_profiling is 1 while
 * recording and before the setting took effect. _frees is not 0 while frees
 * must check if a block was recorded. _hooks is not 0 while hooks must store
 * their tag.
 */
extern const uint32_t *tally_mem_profiling;
extern uint32_t tally_mem_profiling_frees;
extern uint32_t tally_mem_profiling_hooks;

TALLY_END_DECLS

#endif /* TALLY_MEM_PROFILING_H */
