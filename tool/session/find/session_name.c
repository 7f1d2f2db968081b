/* SPDX-License-Identifier: Apache-2.0 */
/* session_name.c - see session_name.h */
#include "tool/session/find/session_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NONCE_DIGITS = 16 };

/* Behind `prefix` and a number of up to nine digits; NULL: they are not there. */
static const char *read_number(const char *text, const char *prefix,
                               uint32_t *number)
{
    size_t length = strlen(prefix);

    if (strncmp(text, prefix, length) != 0)
        return NULL;
    text += length;
    length = strspn(text, "0123456789");
    if (length == 0 || length > 9)
        return NULL;
    *number = 0;
    for (; length > 0; length--)
        *number = *number * 10 + (uint32_t)(*text++ - '0');
    return text;
}

bool session_name_read(const char *value, struct session_name *name)
{
    static const char digits[] = "0123456789abcdef";
    struct session_name read = { 0 };

    value = read_number(value, "/proc/", &read.pid);
    if (value != NULL)
        value = read_number(value, "/fd/", &read.fd);
    if (value == NULL || *value++ != ':' ||
        strspn(value, digits) != NONCE_DIGITS || value[NONCE_DIGITS] != '\0')
        return false;
    for (; *value != '\0'; value++)
        read.nonce =
            read.nonce << 4 | (uint64_t)(strchr(digits, *value) - digits);
    *name = read;
    return true;
}

void session_name_write(const struct session_name *name,
                        char value[SESSION_NAME_SIZE])
{
    snprintf(value, SESSION_NAME_SIZE,
             "/proc/%" PRIu32 "/fd/%" PRIu32 ":%016" PRIx64, name->pid,
             name->fd, name->nonce);
}
