/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_profiling_parameter.h - the grammar of Linux's boot parameter
 *
 *     [sysctl.]vm.mem_profiling={0|1|never}[,compressed]
 *
 * Whatever begins with "never" is never. Otherwise what stands before the first
 * comma is a boolean, told by its first letter ("on" and "off" by their
 * second), and "compressed" is all that may follow.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct mem_profiling_parameter {
    uint32_t control; /* enum ledger_control */
    bool is_compressed;
};

/* False, with `parameter` untouched, when Linux would refuse the setting. */
bool mem_profiling_parameter_read(const char *setting,
                                  struct mem_profiling_parameter *parameter);

/* The same at run time: only "0" and "1" may stand behind the sign. */
bool mem_profiling_parameter_read_switch(const char *setting,
                                         uint32_t *control);
