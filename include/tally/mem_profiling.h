/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_profiling.h - whether allocations are recorded
 *
 *     tally_sysctl("sysctl.vm.mem_profiling=1,compressed");
 *
 * takes "[sysctl.]vm.mem_profiling={0|1|never}[,compressed]". 1 records, 0 does
 * not and may become 1 later, never cannot be undone and costs nothing.
 * "compressed" keeps references in 16 bits. The setting is made once, at the
 * first allocation through a hook, or when the first slab or heap is
 * initialised or used, from
 *
 *   - tally_sysctl(), called before that, which has the last word; else
 *   - the environment, TALLY_SYSCTL='sysctl.vm.mem_profiling=1,compressed',
 *     unless the program has more privileges than its user; else
 *   - CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT.
 *
 * If the recorder is loaded, its setting is in force instead: that of `tally
 * record`, else of the environment, else of the build. A setting that does not
 * parse changes nothing; if it is the environment's, one line on stderr says
 * so.
 */
#ifndef TALLY_MEM_PROFILING_H
#define TALLY_MEM_PROFILING_H

#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/*
 * Before the setting is made, take the parameter above. Later, take it with 0
 * or 1 and without ",compressed"; it takes effect at once in all threads. 0, or
 * -EINVAL: it does not parse, or profiling is off for good.
 */
int tally_sysctl(const char *setting);

/*
 * For the hooks, which read them inline; not for others. *tally_mem_profiling
 * is 1 while recording, or before anything was decided. _frees is not 0 while
 * frees must look whether a block was recorded; _hooks is not 0 while hooks
 * must store their tag.
 */
extern const uint32_t *tally_mem_profiling;
extern uint32_t tally_mem_profiling_frees;
extern uint32_t tally_mem_profiling_hooks;

TALLY_END_DECLS

#endif /* TALLY_MEM_PROFILING_H */
