/* SPDX-License-Identifier: Apache-2.0 */
/*
 * other_memory.h - the memory of another process, read in bounded time
 *
 * Reading fails without the right to look into the process. A page may lie
 * behind a userfaultfd whose owner can delay a read for ever. So another thread
 * reads, we wait only a moment, and read no more after a read that took longer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* `size` bytes at `address` of process `pid`; false: not all of them. */
bool other_memory_read(pid_t pid, uint64_t address, void *to, size_t size);
