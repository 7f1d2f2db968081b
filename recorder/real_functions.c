/* SPDX-License-Identifier: Apache-2.0 */
/* real_functions.c - finding the real allocator; see real_functions.h */
#define _GNU_SOURCE
#include "recorder/real_functions.h"

#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <sys/auxv.h>

#include "ledger/space/modules.h"
#include "ports/posix/loaded_files.h"

static uint32_t are_found;
static bool is_ours; /* the program's calls of malloc reach us */
/* the executable's own calls reach its own malloc */
static bool is_executables;
static const void *own = _DYNAMIC; /* NULL: not preloaded, so behind malloc */
static void *in_glibc;  /* an address in it; NULL: another C library */
static void *allocator; /* an address in it */
static struct loaded_file libc;

/* Initial value of each pointer: find all, then call the real one. */
#define EARLY(type, name, parameters, arguments) \
    static type early_##name parameters          \
    {                                            \
        real_functions_find();                   \
        return real.name arguments;              \
    }
REAL_EARLY_LIST(EARLY)

static void *early_mremap(void *old, size_t old_size, size_t new_size,
                          int flags, ...)
{
    void *target;
    va_list arguments;

    va_start(arguments, flags);
    target = va_arg(arguments, void *);
    va_end(arguments);
    real_functions_find();
    return real.mremap(old, old_size, new_size, flags, target);
}

#define BEGINNING(type, name, ...) .name = early_##name,
struct real_functions real = { .mremap = early_mremap,
                               REAL_EARLY_LIST(BEGINNING) };

#define WANTED(name)                  { #name, &real.name },
#define WANTED_EARLY(type, name, ...) WANTED(name)
static const struct loaded_symbol wanted[] = { REAL_EARLY_LIST(
    WANTED_EARLY) REAL_LATER_LIST(WANTED) WANTED(mremap) WANTED(reallocarray) };

/*
 * Find the functions behind us. If there is no malloc behind us, we are not
 * preloaded, and the first one is the real one. A second thread, or a handler
 * in the midst of this, repeats it with the same result.
 */
void real_functions_find(void)
{
    void *behind = NULL, *first;
    const struct loaded_symbol wanted_behind = { "malloc", &behind };

    if (__atomic_load_n(&are_found, __ATOMIC_ACQUIRE) != 0)
        return;
    first = loaded_symbols_find("malloc");
    loaded_symbols_find_all(&wanted_behind, 1, own, NULL);
    if (behind == NULL) {
        behind = first;
        own = NULL;
    }
    loaded_symbols_find_all(wanted, sizeof wanted / sizeof wanted[0], own,
                            NULL);
    in_glibc =
        loaded_symbols_among("gnu_get_libc_version", loaded_files_is_libcs);
    allocator = behind;
    is_ours = first != NULL && modules_are_same(first, &real);
    modules_see_unloading = is_ours;
    is_executables = first != NULL &&
                     modules_are_same(first, (const void *)getauxval(AT_ENTRY));
    __atomic_store_n(&are_found, 1, __ATOMIC_RELEASE);
}

static int absent(void)
{
    errno = ENOSYS;
    return -1;
}

void *real_functions_find_late(void *slot)
{
    void *found;

    real_functions_find();
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (wanted[i].slot == slot)
            loaded_symbols_find_all(&wanted[i], 1, own, NULL);
    }
    memcpy(&found, slot, sizeof found);
    return found != NULL ? found : (void *)absent;
}

void real_functions_patched(bool is_libc)
{
    (void)loaded_files_find((uintptr_t)in_glibc, &libc);
    allocator = is_libc ? in_glibc : NULL;
    is_ours = true;
    is_executables = false;
    modules_see_unloading = true;
}

void real_functions_mixed(void)
{
    allocator = NULL;
}

bool real_is_libcs(uintptr_t address)
{
    return address - libc.start < libc.end - libc.start;
}

bool real_is_loaded_late(void)
{
    real_functions_find();
    return own == NULL;
}

bool real_is_past_executable(void)
{
    real_functions_find();
    return is_executables;
}

bool real_is_libc(void)
{
    return in_glibc != NULL && modules_are_same(allocator, in_glibc);
}

bool real_is_behind_us(void)
{
    real_functions_find();
    return is_ours;
}

bool real_has_glibc(void)
{
    return in_glibc != NULL;
}
