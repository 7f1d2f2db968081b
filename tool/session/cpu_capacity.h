/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu_capacity.h - the CPUs that a process may use now, in thousandths of a
 * CPU: by affinity, and by quotas of cgroups v1 and v2
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

uint32_t cpu_capacity(pid_t pid);

/* Return the least quota of `group` and its parents, up to the mount point, or
   `most` if that is less. */
uint32_t cpu_capacity_of_group(const char *root, const char *group,
                               uint32_t most);
