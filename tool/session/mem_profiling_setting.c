/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_profiling_setting.c - the boot parameter's grammar, as the kernel has it
 *
 * Whatever begins with "never" is never. Otherwise what stands before the first
 * comma is a boolean, told by its first letter ("on" and "off" by their
 * second), and "compressed" is all that may follow.
 */
#include "tool/session/mem_profiling_setting.h"

#include <string.h>

#include "format/ledger_layout.h"

#define PARAMETER "vm.mem_profiling="

static int parse_boolean(const char *text, uint32_t *control)
{
    char letter = *text;

    if (letter == 'o' || letter == 'O')
        letter = text[1] == 'n' || text[1] == 'N'   ? '1'
                 : text[1] == 'f' || text[1] == 'F' ? '0'
                                                    : '?';
    if (letter == '\0')
        return -1;
    if (strchr("1yYtTeE", letter) != NULL)
        *control = LEDGER_CONTROL_ON;
    else if (strchr("0nNfFdD", letter) != NULL)
        *control = LEDGER_CONTROL_OFF;
    else
        return -1;
    return 0;
}

int mem_profiling_parse(const char *setting, struct session_settings *settings)
{
    const char *comma;
    uint32_t control;

    if (strncmp(setting, "sysctl.", strlen("sysctl.")) == 0)
        setting += strlen("sysctl.");
    if (strncmp(setting, PARAMETER, strlen(PARAMETER)) != 0)
        return -1;
    setting += strlen(PARAMETER);
    if (strncmp(setting, "never", strlen("never")) == 0) {
        settings->control = LEDGER_CONTROL_NEVER;
        return 0;
    }
    comma = strchr(setting, ',');
    if (comma != NULL && strcmp(comma, ",compressed") != 0)
        return -1;
    if (parse_boolean(setting, &control) < 0)
        return -1;
    settings->control = control;
    settings->compressed = comma != NULL;
    return 0;
}
