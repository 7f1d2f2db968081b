/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu_capacity.h - how much of the machine's CPUs a process may use now, in
 * thousandths of a CPU: by affinity, and quotas of control groups 1 and 2
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

uint32_t cpu_capacity(pid_t pid);

/* The least quota of a group and those above it, up to where the hierarchy is
   mounted, or `most`. */
uint32_t cpu_capacity_of_group(const char *root, const char *group,
                               uint32_t most);
