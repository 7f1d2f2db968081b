/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_libc.c - functions of libc, by names that no program can take
 *
 * A program may replace any of them by one that allocates or takes a lock. So
 * each function that the recorder calls is defined here once more, hidden, and
 * the linker binds all calls to these. Most call libc's own by its address in
 * libc's symbol table, so that no version of glibc is required either.
 */
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "ledger/export.h"
#include "ports/posix/loaded_files.h"
#include "ports/posix/words.h"

void abort(void); /* <stdlib.h> would also declare malloc */

/* X(type, name, parameters, arguments) */
#define LIST(X)                                                                \
    X(unsigned long, getauxval, (unsigned long a), (a))                        \
    X(int, dl_iterate_phdr,                                                    \
      (int (*a)(struct dl_phdr_info *, size_t, void *), void *b), (a, b))      \
    X(int *, __errno_location, (void), ())                                     \
    X(void, abort, (void), ())                                                 \
    X(int, clock_gettime, (clockid_t a, struct timespec * b), (a, b))          \
    X(int, pthread_key_create, (pthread_key_t * a, void (*b)(void *)), (a, b)) \
    X(int, pthread_setspecific, (pthread_key_t a, const void *b), (a, b))      \
    X(int, pthread_attr_getstack,                                              \
      (const pthread_attr_t *a, void **b, size_t *c), (a, b, c))               \
    X(int, pthread_attr_getstacksize, (const pthread_attr_t *a, size_t *b),    \
      (a, b))                                                                  \
    X(void *, memchr, (const void *a, int b, size_t c), (a, b, c))             \
    X(int, memcmp, (const void *a, const void *b, size_t c), (a, b, c))        \
    X(void *, memmove, (void *a, const void *b, size_t c), (a, b, c))          \
    X(char *, stpcpy, (char *a, const char *b), (a, b))                        \
    X(int, strcmp, (const char *a, const char *b), (a, b))                     \
    X(size_t, strcspn, (const char *a, const char *b), (a, b))                 \
    X(size_t, strlen, (const char *a), (a))                                    \
    X(int, strncmp, (const char *a, const char *b, size_t c), (a, b, c))       \
    X(size_t, strnlen, (const char *a, size_t b), (a, b))                      \
    X(char *, strrchr, (const char *a, int b), (a, b))                         \
    X(char *, strstr, (const char *a, const char *b), (a, b))

static struct {
#define MEMBER(type, name, ...) __typeof__(name) *name;
    LIST(MEMBER)
} own;

static const char never;
const char *libc_single_threaded = &never;

/* Before glibc 2.34 some are in libpthread, which may be loaded later. */
static int absent(void)
{
    return ENOSYS;
}

/* Find libc's functions. First called with one thread, or while we are
   loaded. */
static NOINLINE void *find(const void *slot)
{
#define ROW(type, name, ...) { #name, &own.name },
    static const struct loaded_symbol rows[] = { LIST(ROW){
        "__libc_single_threaded", &libc_single_threaded } };
    void *found;

    loaded_symbols_of_libc(rows, sizeof rows / sizeof rows[0]);
    memcpy(&found, slot, sizeof found);
    return found != NULL ? found : (void *)absent;
}

#define FUNCTION(type, name, parameters, arguments)                \
    type name parameters                                           \
    {                                                              \
        if (UNLIKELY(own.name == NULL))                            \
            return ((__typeof__(name) *)find(&own.name))arguments; \
        return own.name arguments;                                 \
    }
LIST(FUNCTION)

/* These two are called while the table is read. */
void *memcpy(void *to, const void *from, size_t size)
{
    if (own.memmove != NULL)
        return own.memmove(to, from, size);
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = (char)byte;
    return to;
}
