/* SPDX-License-Identifier: Apache-2.0 */
/* mem_profiling_parameter.c - parse Linux's boot parameter */
#include "format/text/mem_profiling_parameter.h"

#include <stddef.h>

#include "format/ledger/ledger_layout.h"
#include "format/text_after.h"

static bool is_one_of(char letter, const char *letters)
{
    while (*letters != '\0' && *letters != letter)
        letters++;
    return *letters != '\0';
}

static bool read_boolean(const char *text, uint32_t *control)
{
    char letter = *text;

    if (letter == 'o' || letter == 'O') {
        if (is_one_of(text[1], "nN"))
            letter = '1';
        else if (is_one_of(text[1], "fF"))
            letter = '0';
    }
    if (is_one_of(letter, "1yYtTeE"))
        *control = LEDGER_CONTROL_ON;
    else if (is_one_of(letter, "0nNfFdD"))
        *control = LEDGER_CONTROL_OFF;
    else
        return false;
    return true;
}

static const char *value_of(const char *setting)
{
    const char *name = text_after(setting, "sysctl.");

    return text_after(name != NULL ? name : setting, "vm.mem_profiling=");
}

bool mem_profiling_parameter_read(const char *setting,
                                  struct mem_profiling_parameter *parameter)
{
    const char *value = value_of(setting);
    const char *comma = value;
    uint32_t control;

    if (value == NULL)
        return false;
    if (text_after(value, "never") != NULL) {
        *parameter = (struct mem_profiling_parameter){
            .control = LEDGER_CONTROL_NEVER,
        };
        return true;
    }
    while (*comma != '\0' && *comma != ',')
        comma++;
    if (*comma == ',' && !is_same_text(comma, ",compressed"))
        return false;
    if (!read_boolean(value, &control))
        return false;
    parameter->control = control;
    parameter->is_compressed = *comma == ',';
    return true;
}

bool mem_profiling_parameter_read_switch(const char *setting, uint32_t *control)
{
    const char *value = value_of(setting);

    if (value == NULL)
        return false;
    if (is_same_text(value, "0"))
        *control = LEDGER_CONTROL_OFF;
    else if (is_same_text(value, "1"))
        *control = LEDGER_CONTROL_ON;
    else
        return false;
    return true;
}
