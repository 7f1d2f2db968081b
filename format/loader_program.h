/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader_program.h - what a command runs that names the loader: ld.so ./program
 *
 * Any context.
 */
#ifndef TALLY_FORMAT_LOADER_PROGRAM_H
#define TALLY_FORMAT_LOADER_PROGRAM_H

/*
 * The program that glibc's loader at `path` runs with these arguments, the
 * first of which is its own name; `path` itself where it is no loader or runs
 * none.
 */
const char *loader_program(const char *path, char *const arguments[]);

#endif /* TALLY_FORMAT_LOADER_PROGRAM_H */
