/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_version.h - KERNEL_VERSION_NUMBER, and the layout of the kernel's
   events */
#pragma once

#if defined __has_include && __has_include(<zephyr/version.h>)
#include <zephyr/version.h>
#else
#include <version.h>
#endif

/* The layout whose header is that of the kernel's own events: checked up to
   4.5. */
#define KERNEL_LAYOUT                       \
    (KERNEL_VERSION_NUMBER >= 0x40500   ? 4 \
     : KERNEL_VERSION_NUMBER >= 0x40400 ? 2 \
                                        : 1)
