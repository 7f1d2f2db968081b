/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sanitizer_runtimes.h - libraries that replace malloc and stand no recorder
 * before them
 *
 * A program that needs one is not recorded: `tally record` refuses it, and as a
 * child it runs without the preload and is named. The same runtime inside an
 * executable is an allocator of its own, which goes past us.
 */
#ifndef TALLY_FORMAT_SANITIZER_RUNTIMES_H
#define TALLY_FORMAT_SANITIZER_RUNTIMES_H

struct sanitizer_runtime {
    const char *library;   /* how the library's name begins */
    const char *sanitizer; /* its name */
    const char *option;    /* of the compiler: -fsanitize=... */
    const char *trouble;   /* what it does behind a preload */
};

/* The first runtime in a list like LD_PRELOAD's, or that one library is; or
   NULL. */
const struct sanitizer_runtime *sanitizer_runtime_of(const char *libraries);

#endif /* TALLY_FORMAT_SANITIZER_RUNTIMES_H */
