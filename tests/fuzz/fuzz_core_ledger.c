/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_core_ledger.c - any bytes, as a core dump
 *
 * The result begins like a ledger, and is no larger than a process's mapping of
 * one. Besides, nothing crashes.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/events/events_area.h"
#include "format/ledger/ledger_reader.h"
#include "tool/model/sources/sources.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("core", MFD_CLOEXEC);
    struct source_failure failure = { 0 };
    struct source source = { 0 };
    struct ledger_reader reader;
    int result;

    assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    result = core_ledger_read(fd, &source, &failure);
    assert(result <= 1 && (result >= 0 || failure.why != NULL));
    if (result > 0) {
        assert(source.size <= EVENTS_AREA_OFFSET);
        (void)ledger_reader_open(&reader, source.bytes, source.size);
    }
    if (source.bytes != NULL)
        source_close(&source);
    close(fd);
    return 0;
}
