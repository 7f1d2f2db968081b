/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_zpl_options.c - any text, as the target of tally_zpl_start()
 *
 * Besides not crashing:
 *
 *   F1  accepted text has a target, an interval, and a valid layout and format
 *   F2  the target is a prefix of the text, followed by a comma or the end
 *   F3  another option at the end is accepted, too, and does not change the
 *   target
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linked/zpl_options.h"
#include "tally/zpl.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text, const struct zpl_options *options)
{
    size_t length = strnlen(options->target, sizeof options->target);

    assert(length > 0 && length < sizeof options->target);
    assert(options->interval_ms >= 1);
    assert(options->layout <= 4);
    assert(options->format <= TALLY_ZPL_PLAINTEXT);
    assert(strncmp(text, options->target, length) == 0);
    assert(text[length] == '\0' || text[length] == ',');
}

static void add_an_option(const char *text, const struct zpl_options *before)
{
    static const char option[] = ",delay=5";
    size_t length = strlen(text);
    struct zpl_options after;
    char *longer = malloc(length + sizeof option);

    assert(longer != NULL);
    memcpy(longer, text, length);
    memcpy(longer + length, option, sizeof option);
    if (length + strlen(option) < sizeof after.target) {
        assert(zpl_options_read(longer, &after) == 0);
        assert(strcmp(after.target, before->target) == 0);
        assert(after.interval_ms == before->interval_ms);
        /* Options are read from the last to the first. */
        assert(strstr(text, ",delay=") != NULL || after.delay_ms == 5);
    }
    free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zpl_options options;
    char *text = malloc(size + 1);

    assert(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (zpl_options_read(text, &options) == 0) {
        check(text, &options);
        add_an_option(text, &options);
    }
    free(text);
    return 0;
}
