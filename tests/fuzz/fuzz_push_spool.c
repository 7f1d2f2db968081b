/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_push_spool.c - any bytes, as a profile that waits to be sent
 *
 * Besides not crashing:
 *
 *   F1  an accepted profile is complete: its bytes end with the file
 *   F2  its texts are valid, and lie in the file
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tool/push/push.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *file = malloc(size + 1);
    struct push_profile profile;

    assert(file != NULL);
    if (size != 0)
        memcpy(file, data, size);
    file[size] = '\0';
    if (push_profile_parse(file, size, &profile)) {
        assert(profile.bytes > file);
        assert(profile.bytes + profile.size == file + size);
        assert(profile.name > file && profile.name < profile.bytes);
        assert(profile.name + strlen(profile.name) < profile.bytes);
        assert(strlen(profile.id) < sizeof profile.id);
    }
    free(file);
    return 0;
}
