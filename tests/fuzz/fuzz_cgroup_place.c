/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_cgroup_place.c - any text, as /proc/PID/cgroup, mountinfo and a file of
 * a group
 *
 * An input is the first, a NUL, and the second. The result is an absolute
 * folder with room for a name after it, below the mount point of groups.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tool/session/find/process_facts.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *middle = size < 3 ? NULL : memchr(data, '\0', size - 1);
    struct cgroup_place place;
    FILE *cgroup, *mounts;
    size_t first;

    if (middle == NULL || middle == data)
        return 0;
    first = (size_t)(middle - data);
    cgroup = fmemopen((void *)(uintptr_t)data, first, "r");
    mounts = fmemopen((void *)(uintptr_t)(middle + 1), size - first - 1, "r");
    assert(cgroup != NULL && mounts != NULL);
    if (cgroup_place_find(cgroup, mounts, &place)) {
        assert(place.folder[0] == '/');
        assert(strlen(place.folder) < PATH_MAX - 64);
        assert(place.top <= strlen(place.folder));
    }
    fclose(cgroup);
    fclose(mounts);
    (void)cgroup_number((const char *)data, "max ", 0);
    return 0;
}
