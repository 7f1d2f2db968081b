/* SPDX-License-Identifier: Apache-2.0 */
/* export.h - visibility and branch hints */
#pragma once

#include "core/base/hidden.h"

/*
 * All symbols are hidden (-fvisibility=hidden) but the few that programs may
 * see. Our calls of a PROTECTED function reach ours, whatever the program has.
 */
#define EXPORT    __attribute__((visibility("default")))
#define PROTECTED __attribute__((visibility("protected")))

/* return address of the call to the exported function */
#define CALLER ((uintptr_t)__builtin_return_address(0))

#define NOINLINE    __attribute__((noinline))
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
