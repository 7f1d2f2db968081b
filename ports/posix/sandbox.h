/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.h - system calls that the program's seccomp filter forbids
 *
 * Once a seccomp filter is installed, a system call that the program itself
 * does not make may kill it. From then on Tally only makes the calls of an
 * allocator: mmap, munmap, mremap and mprotect.
 */
#pragma once

#include <stdbool.h>

bool sandbox_is_closed(void);

/* Count a filter being installed; uncount one that was refused. */
void sandbox_close(void);
void sandbox_open(void);
