/* SPDX-License-Identifier: Apache-2.0 */
/* embedding.c - libtally as the accounts see it: ledger/embedding.h */
#include "ledger/embedding.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "ledger/modules.h"
#include "linked/engine.h"

bool embedding_has_glibc(void)
{
    return dlsym(RTLD_DEFAULT, "gnu_get_libc_version") != NULL;
}

bool embedding_is_libc(void)
{
    void *allocator = dlsym(RTLD_DEFAULT, "malloc");
    void *libc = dlsym(RTLD_DEFAULT, "clock_gettime");

    return allocator != NULL && libc != NULL &&
           modules_are_same(allocator, libc);
}

bool embedding_owns(const void *block)
{
    (void)block;
    return false;
}

bool embedding_claim(struct session_claim *claim)
{
    return engine_claim(claim);
}

uint64_t embedding_inherit(void)
{
    return 0;
}
