/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.h - what the program forbids itself, and so us
 *
 * Once a seccomp filter is installed, a system call that the program itself
 * does not need may kill it. From then on the recorder makes only those that an
 * allocator makes: mmap, munmap, mremap and mprotect.
 */
#ifndef TALLY_RECORDER_SANDBOX_H
#define TALLY_RECORDER_SANDBOX_H

#include <stdbool.h>

bool sandbox_is_closed(void);

#endif /* TALLY_RECORDER_SANDBOX_H */
