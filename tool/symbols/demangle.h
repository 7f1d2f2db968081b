/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.h - the name that a programmer wrote, from the linker's
 */
#pragma once

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
