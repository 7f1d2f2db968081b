/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_profiling_parameter.h - parse Linux's boot parameter
 *
 *     [sysctl.]vm.mem_profiling={0|1|never}[,compressed]
 *
 * Any value that begins with "never" is never. Otherwise the text before the
 * first comma is a boolean, recognized by its first letter ("on" and "off" by
 * their second); only "compressed" may follow.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct mem_profiling_parameter {
    uint32_t control; /* enum ledger_control */
    bool is_compressed;
};

/* Parse a setting. Return false, with *parameter unchanged, if Linux would
   refuse it. */
bool mem_profiling_parameter_read(const char *setting,
                                  struct mem_profiling_parameter *parameter);

/* Parse a setting at run time, where only "0" and "1" are valid values. */
bool mem_profiling_parameter_read_switch(const char *setting,
                                         uint32_t *control);
