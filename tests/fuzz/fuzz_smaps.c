/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_smaps.c - any text, as /proc/PID/smaps
 *
 * The result are mappings whose end is after their start, with no more memory
 * than the address space has.
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
    struct smaps smaps = { 0 };
    struct smaps_entry entry;

    if (size == 0)
        return 0;
    smaps.file = fmemopen((void *)(uintptr_t)data, size, "r");
    assert(smaps.file != NULL);
    while (smaps_next(&smaps, &entry)) {
        assert(entry.start < entry.end);
        assert(entry.resident <= entry.end - entry.start);
        assert(entry.huge <= entry.end - entry.start);
        assert(entry.shared <= entry.end - entry.start);
        assert(entry.swapped <= entry.end - entry.start);
        assert(strlen(entry.path) < sizeof entry.path);
        assert(strlen(entry.access) < sizeof entry.access);
    }
    smaps_end(&smaps);
    return 0;
}
