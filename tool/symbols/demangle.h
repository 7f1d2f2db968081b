/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.h - the name that a programmer wrote, from the linker's
 */
#pragma once

#include <stdint.h>

/* Whether C++ names end in their argument types. */
enum demangle_arguments {
    DEMANGLE_WITHOUT_ARGUMENTS,
    DEMANGLE_WITH_ARGUMENTS,
};

/*
 * A copy of `name`, demangled if it is a C++ or Rust name, and without the
 * version that follows an '@'. The caller frees it.
 */
char *demangle(const char *name, enum demangle_arguments arguments);

/* Likewise, with "+0x1c" behind it for an offset that is not 0. */
char *demangle_at(const char *name, uint64_t offset,
                  enum demangle_arguments arguments);
