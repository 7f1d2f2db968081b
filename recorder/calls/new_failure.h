/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_failure.h - a C++ operator new for which there is no memory
 *
 * As the C++ library does it: the program's new_handler is called and the memory
 * asked for once more; without a handler bad_alloc is thrown. What is found here is
 * the library's.
 */
#ifndef TALLY_RECORDER_NEW_FAILURE_H
#define TALLY_RECORDER_NEW_FAILURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Look for what is needed in the files that are the library by their paths. */
void new_failure_find(bool (*is_library)(const char *path));

/*
 * Whether a failure can be brought about here, so that its place is the program's;
 * else the library's own operator new has to fail. What a handler may throw in a
 * nothrow new, only the library can catch.
 */
bool new_failure_is_ours(bool is_nothrow);

/* Of a throwing form. Returns when there is to be another try, or throws. */
void new_failure_happen(size_t size, size_t alignment);

/*
 * A nothrow new of this thread, called at `caller`, is the library's from here to
 * leave(); it asks for the memory by an operator new that throws.
 */
void new_failure_enter(uintptr_t caller);
void new_failure_leave(void);

/* Where the program called the new that is called at `caller`. */
uintptr_t new_failure_caller(uintptr_t caller);

#endif /* TALLY_RECORDER_NEW_FAILURE_H */
