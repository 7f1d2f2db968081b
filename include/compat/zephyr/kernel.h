/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - the part of Zephyr's kernel.h that Tally implements
 *
 * With this folder on the include path, Zephyr code that uses only memory
 * slabs, heaps and timeouts compiles unchanged:
 *
 *     cc -I$(pkg-config --variable=compat tally) ...
 */
#ifndef TALLY_COMPAT_ZEPHYR_KERNEL_H
#define TALLY_COMPAT_ZEPHYR_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zephyr/sys/printk.h>
#include <zephyr/sys/util.h>

#include "tally/config.h"

#if TALLY_HAS(LIBC)
#include <errno.h>
#include <string.h>
#endif

#include "tally/heap_listener.h"
#include "tally/k_heap.h"
#include "tally/mem_slab.h"
#include "tally/sys_heap.h"
#include "tally/timeout.h"

#endif /* TALLY_COMPAT_ZEPHYR_KERNEL_H */
