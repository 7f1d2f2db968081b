/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.h - the name that a programmer wrote, from the linker's
 */
#ifndef TALLY_TOOL_SYMBOLS_DEMANGLE_H
#define TALLY_TOOL_SYMBOLS_DEMANGLE_H

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

#endif /* TALLY_TOOL_SYMBOLS_DEMANGLE_H */
