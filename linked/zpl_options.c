/* SPDX-License-Identifier: Apache-2.0 */
/* zpl_options.c - the argument of tally_zpl_start(): TARGET[,OPTION]... */
#include "linked/zpl_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/text_after.h"
#include "tally/config.h"
#include "tally/zpl.h"

static bool read_number(const char *text, uint32_t least, uint32_t *value)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || number < least ||
        number > UINT32_MAX)
        return false;
    *value = (uint32_t)number;
    return true;
}

/* Return true for the form of an option, which file names rarely have. */
static bool is_option(const char *text)
{
    size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

    return letters > 0 && (text[letters] == '\0' || text[letters] == '=') &&
           strchr(text, '/') == NULL;
}

static bool read_option(const char *text, struct zpl_options *options)
{
    const char *value;
    uint32_t number;

    if ((value = text_after(text, "interval=")) != NULL)
        return read_number(value, 1, &options->interval_ms);
    if ((value = text_after(text, "delay=")) != NULL)
        return read_number(value, 0, &options->delay_ms);
    if ((value = text_after(text, "layout=")) != NULL) {
        if (!read_number(value, 1, &number) || number > 4)
            return false;
        options->layout = (uint8_t)number;
        return true;
    }
    if ((value = text_after(text, "format=")) != NULL) {
        if (strcmp(value, "ctf") == 0)
            options->format = TALLY_ZPL_CTF;
        else if (strcmp(value, "plaintext") == 0)
            options->format = TALLY_ZPL_PLAINTEXT;
        else
            return false;
        return true;
    }
    options->is_bare |= strcmp(text, "bare") == 0;
    options->is_off |= strcmp(text, "off") == 0;
    return strcmp(text, "bare") == 0 || strcmp(text, "off") == 0;
}

int zpl_options_read(const char *text, struct zpl_options *options)
{
    size_t length = text == NULL ? 0 : strlen(text);
    char *comma;

    *options = (struct zpl_options){
        .interval_ms = CONFIG_ZPL_MEMORY_PROFILING_INTERVAL,
        .delay_ms = CONFIG_ZPL_MEMORY_PROFILING_THREAD_DELAY,
    };
    if (length == 0 || length >= sizeof options->target)
        return -EINVAL;
    memcpy(options->target, text, length + 1);
    while ((comma = strrchr(options->target, ',')) != NULL &&
           is_option(comma + 1)) {
        if (!read_option(comma + 1, options))
            return -EINVAL;
        *comma = '\0';
    }
    return options->target[0] == '\0' ? -EINVAL : 0;
}
