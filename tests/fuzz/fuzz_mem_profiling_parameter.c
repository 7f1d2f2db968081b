/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_mem_profiling_parameter.c - any text, as TALLY_SYSCTL
 *
 * Besides not crashing:
 *
 *   F1  a refused setting changes nothing
 *   F2  a setting valid at run time is valid at the start, and means the same
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "format/text/mem_profiling_parameter.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mem_profiling_parameter parameter = { UINT32_MAX, true };
    uint32_t control = UINT32_MAX;
    char *setting = malloc(size + 1);
    bool is_setting, is_switch;

    assert(setting != NULL);
    memcpy(setting, data, size);
    setting[size] = '\0';
    is_setting = mem_profiling_parameter_read(setting, &parameter);
    is_switch = mem_profiling_parameter_read_switch(setting, &control);
    assert(is_setting
               ? parameter.control <= LEDGER_CONTROL_NEVER
               : parameter.control == UINT32_MAX && parameter.is_compressed);
    assert(is_switch || control == UINT32_MAX);
    assert(!is_switch || (is_setting && parameter.control == control &&
                          !parameter.is_compressed));
    free(setting);
    return 0;
}
