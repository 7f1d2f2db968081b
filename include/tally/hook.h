/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.h - report the blocks of a custom allocator
 *
 *     uint32_t site = tally_site_open((uintptr_t)caller);
 *     tally_reference reference = tally_hook_alloc(site, size);
 *     ... // keep the reference with the block
 *     tally_hook_free(reference, size);
 *
 * A custom allocator reports each block like this. Until a listener starts, the
 * cost is one load and one predictable branch. A free is always charged to the
 * site in its reference, even if listening has stopped since.
 *
 * tally_hook_alloc() and tally_hook_free() may be called from any thread,
 * signal handler or interrupt. They never allocate, preserve errno, and take no
 * lock on machines with a 64-bit atomic add. tally_site_open() and
 * tally_account_start() may take pages from the port.
 */
#ifndef TALLY_HOOK_H
#define TALLY_HOOK_H

#include <stddef.h>
#include <stdint.h>

#include "tally/config.h"
#include "tally/private/linkage.h"

/* Without an operating system all threads share one word; the port keeps those
   that must be apart (tally/thread.h). */
#if TALLY_HAS(OS) /* C++'s thread_local adds a check for initialization */
#define TALLY_THREAD_LOCAL __thread
#else
#define TALLY_THREAD_LOCAL
#endif

#if TALLY_HAS(OS) /* no function call for access, even in shared objects */
#define TALLY_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define TALLY_TLS_MODEL
#endif

TALLY_BEGIN_DECLS

/* Site that a block is charged to; 0: none. */
typedef uint32_t tally_reference;

/* Bits of tally_listeners. */
enum tally_listener {
    TALLY_LISTENER_UNSETTLED = 1u << 0, /* not known yet: ask at the next
                                           allocation */
    TALLY_LISTENER_ACCOUNT = 1u << 1,   /* the recorder's sharded counters */
    TALLY_LISTENER_SHARED = 1u << 2     /* ... in the shared shard */
};

/*
 * Listeners to the allocations of the calling thread, bits of enum
 * tally_listener. A thread begins with TALLY_LISTENER_UNSETTLED. If listening
 * has not started by its first allocation, the word becomes 0 for good.
 */
extern TALLY_THREAD_LOCAL uint32_t tally_listeners;

/* Slow paths of the functions below. Not for direct use. */
tally_reference tally_hook_listen_alloc(uint32_t site, size_t size);
void tally_hook_listen_free(tally_reference reference, size_t size);

/* Report a block of `size` bytes allocated at `site`, an id from
   tally_site_open(). Return the reference to keep with the block. */
static __inline__ tally_reference tally_hook_alloc(uint32_t site, size_t size)
{
    if (tally_listeners == 0)
        return 0;
    return tally_hook_listen_alloc(site, size);
}

/* Report that the block with this reference and size is freed. */
static __inline__ void tally_hook_free(tally_reference reference, size_t size)
{
    if (reference != 0)
        tally_hook_listen_free(reference, size);
}

/* Counters of one site. */
struct tally_site_account {
    uint64_t live_blocks;
    uint64_t live_bytes; /* as requested */
    uint64_t total_blocks;
    uint64_t total_bytes;
    uint64_t peak_seen;    /* highest live bytes seen by any read; without a
                              ledger, the live bytes now */
    uint64_t unseen_frees; /* blocks found to be freed by uninstrumented code */
};

/*
 * Return the id of the site named by `key`, an address other than 0 and 1; open
 * it if it is new. Return 0 if there is no memory, no free id, or another
 * thread is opening the first site. Blocks of the site are then not recorded,
 * and tally_sites_lost() counts the refusal.
 */
uint32_t tally_site_open(uintptr_t key);

/* Source location. */
struct tally_place {
    const char *file;
    const char *function;
    const char *module; /* shared object; NULL: the program */
    uint32_t line;
};

/*
 * Open a site for the location whose tag is at address `key`; return its id, or
 * 0 as above. The caller owns the strings; they are copied when needed later.
 */
uint32_t tally_site_open_place(uintptr_t key, const struct tally_place *place);

/* Return the counters of `site`, an id up to tally_site_count(), summed over
   all shards. Not a snapshot while other threads allocate. */
struct tally_site_account tally_site_read(uint32_t site);

/* Return the highest id; the first is 1. */
uint32_t tally_site_count(void);

/* Return the number of refused calls of tally_site_open(). */
uint32_t tally_sites_lost(void);

/*
 * Start or stop listening. Start before the threads to be recorded make their
 * first allocation: a thread that found no listener does not ask again. Live
 * blocks stay charged after a stop, and listening may start again. Return 0 or
 * TALLY_E_NO_MEMORY.
 */
int tally_account_start(void);
void tally_account_stop(void);

TALLY_END_DECLS

#endif /* TALLY_HOOK_H */
