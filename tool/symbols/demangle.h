/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.h - turn linker names into source names
 */
#pragma once

#include <stdint.h>

/* Argument types at the end of C++ names. */
enum demangle_arguments {
    DEMANGLE_WITHOUT_ARGUMENTS,
    DEMANGLE_WITH_ARGUMENTS,
};

/*
 * Return a copy of `name`, demangled if it is of C++ or Rust, without the
 * version behind an '@'. The caller frees it.
 */
char *demangle(const char *name, enum demangle_arguments arguments);

/* Like demangle(), with "+0x1c" appended for a nonzero offset. */
char *demangle_at(const char *name, uint64_t offset,
                  enum demangle_arguments arguments);
