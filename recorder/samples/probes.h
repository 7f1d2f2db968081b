/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probes.h - sampled blocks as USDT probes, for other tools
 *
 * OpenTelemetry's eBPF profiler defines them, as provider otel_memory:
 *
 *     alloc(pointer, size, weighted_bytes)   a sampled block
 *     free(pointer)                          of such a block
 *
 * The weight is the number of bytes the ledger charges for the block. Without a
 * listener each is one nop: <sys/sdt.h> adds a note to the file and no code.
 * There is no semaphore, as samples are taken anyway.
 *
 * Each is a separate function, because some listeners ignore the note and look
 * for the arguments in the places of a function's arguments.
 */
#pragma once

#include <stdint.h>
#include <sys/sdt.h>

static __attribute__((noinline)) void
probe_alloc(uint64_t pointer, uint64_t size, uint64_t weighted_bytes)
{
    STAP_PROBE3(otel_memory, alloc, pointer, size, weighted_bytes);
}

static __attribute__((noinline)) void probe_free(uint64_t pointer)
{
    STAP_PROBE1(otel_memory, free, pointer);
}
