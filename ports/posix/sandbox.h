/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.h - what the program forbids itself, and so us
 *
 * Once a seccomp filter is installed, a system call that the program itself
 * does not need may kill it. From then on Tally makes only those that an
 * allocator makes: mmap, munmap, mremap and mprotect.
 */
#pragma once

#include <stdbool.h>

bool sandbox_is_closed(void);

/* A filter is being installed; it was refused. They are counted. */
void sandbox_close(void);
void sandbox_open(void);
