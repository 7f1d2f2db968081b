/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.h - the one hook that every allocation passes
 *
 *     uint32_t site = tally_site_open((uintptr_t)caller);
 *     tally_reference reference = tally_hook_alloc(site, size);
 *     ... // keep the reference with the block
 *     tally_hook_free(reference, size);
 *
 * An allocator of a program's own reports each of its blocks like this. Before
 * anything has listened this costs one load and one predictable branch. A free
 * is always charged to the site that its reference names, also when listening
 * has ended since.
 *
 * tally_hook_alloc and tally_hook_free may be called from any thread, signal
 * handler or interrupt; they take no lock where the machine adds 64 bits
 * atomically, never allocate, and leave errno alone. tally_site_open and
 * tally_account_start may take pages from the port.
 */
#ifndef TALLY_HOOK_H
#define TALLY_HOOK_H

#include <stddef.h>
#include <stdint.h>

#include "tally/private/linkage.h"

/* A freestanding program has one thread: its main loop, and interrupts. */
#if !__STDC_HOSTED__
#define TALLY_THREAD_LOCAL
#elif defined __cplusplus /* thread_local asks whether it was initialized */
#define TALLY_THREAD_LOCAL __thread
#else
#define TALLY_THREAD_LOCAL _Thread_local
#endif

#if __STDC_HOSTED__ /* needs no call, also in shared objects */
#define TALLY_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define TALLY_TLS_MODEL
#endif

TALLY_BEGIN_DECLS

/* What a block is charged to: the id of a site; 0: no site. */
typedef uint32_t tally_reference;

/* Bits of tally_listeners. */
enum tally_listener {
    TALLY_LISTENER_UNSETTLED = 1u << 0, /* to be asked */
    TALLY_LISTENER_ACCOUNT = 1u << 1,   /* the recorder's sharded counters */
    TALLY_LISTENER_SHARED = 1u << 2     /* ... through the shared shard */
};

/*
 * What listens to the allocations of the calling thread. A thread begins with
 * TALLY_LISTENER_UNSETTLED; when its first allocation finds that listening was
 * never started, the word becomes 0 for good.
 */
extern TALLY_THREAD_LOCAL uint32_t tally_listeners;

/* What the hook calls when the word is not 0. Not for direct use. */
tally_reference tally_hook_listen_alloc(uint32_t site, size_t size);
void tally_hook_listen_free(tally_reference reference, size_t size);

/*
 * A block of `size` bytes was handed out at `site`, an id from
 * tally_site_open(). Returns the reference to keep with it.
 */
static __inline__ tally_reference tally_hook_alloc(uint32_t site, size_t size)
{
    if (tally_listeners == 0)
        return 0;
    return tally_hook_listen_alloc(site, size);
}

/* The block with this reference and size is given back. */
static __inline__ void tally_hook_free(tally_reference reference, size_t size)
{
    if (reference != 0)
        tally_hook_listen_free(reference, size);
}

/* What one site holds now, and what it ever asked for. */
struct tally_site_account {
    uint64_t live_blocks;
    uint64_t live_bytes; /* as requested */
    uint64_t total_blocks;
    uint64_t total_bytes;
    uint64_t peak_seen;    /* the most live bytes that any reading has found; of
                           this one alone where there is no ledger */
    uint64_t unseen_frees; /* blocks that were found to be freed out of sight */
};

/*
 * The id of the site that `key` names (an address, never 0 or 1). A new site is
 * opened. 0: there is no memory, or no room for one more, or another thread is
 * opening the first one; blocks of the site are then not recorded, and
 * tally_sites_lost() counts the refusal.
 */
uint32_t tally_site_open(uintptr_t key);

/* A place that source code names. */
struct tally_place {
    const char *file;
    const char *function;
    const char *module; /* shared object; NULL: the program */
    uint32_t line;
};

/*
 * A new id for the place whose tag is at the address `key`. The strings are the
 * caller's, and are copied where they are needed later. 0 as above.
 */
uint32_t tally_site_open_place(uintptr_t key, const struct tally_place *place);

/*
 * The sum over all shards; not one instant while other threads allocate. `site`
 * is an id up to tally_site_count().
 */
struct tally_site_account tally_site_read(uint32_t site);

/* Ids go from 1 to tally_site_count(). */
uint32_t tally_site_count(void);

/* Calls of tally_site_open that were refused. */
uint32_t tally_sites_lost(void);

/*
 * Begin or end listening. Begin before the first allocation of the threads that
 * are to be seen: a thread that has found no listener does not ask again.
 * After a stop it may be started again.
 * Blocks already out stay charged. start returns 0 or TALLY_E_NO_MEMORY.
 */
int tally_account_start(void);
void tally_account_stop(void);

TALLY_END_DECLS

#endif /* TALLY_HOOK_H */
