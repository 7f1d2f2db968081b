/* SPDX-License-Identifier: Apache-2.0 */
/* export.h - the few symbols that a program may see, and branch hints */
#pragma once

#include "core/base/hidden.h"

/* Everything else is hidden (-fvisibility=hidden). Our calls lead to what is
   PROTECTED, whatever the program has. */
#define EXPORT    __attribute__((visibility("default")))
#define PROTECTED __attribute__((visibility("protected")))

/* The place in the program that called the exported function. */
#define CALLER ((uintptr_t)__builtin_return_address(0))

#define NOINLINE    __attribute__((noinline))
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
