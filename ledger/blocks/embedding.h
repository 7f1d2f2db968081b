/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedding.h - what the accounts ask of the library that contains them
 *
 * Two libraries keep a process's ledger: the recorder, which has replaced
 * malloc, and libtally, which has not. Each defines these functions. Any
 * thread; nothing here may allocate.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ledger/space/process.h"
#include "ledger/space/session.h"
#include "sampling/countdown/countdown_client.h"

bool embedding_has_glibc(void);

/* Whether blocks come from libc itself: 16 bytes apart, two granules each. */
bool embedding_is_libc(void);

/* The extent for a new process image's ledger; false: it is not recorded. */
bool embedding_claim(struct session_claim *claim);

#ifdef TALLY_RECORDER
/* Something has changed that decides what entry points do. */
void embedding_choose_mode(void);

/* The ledger is mapped; `claim->fd` is still open, for what else lies there. */
void embedding_open(const struct session_claim *claim);

/* Where in memory a struct ledger_map_table lies; 0: maps are not accounted. */
uint64_t embedding_map_table(void);

/* Make ready to charge to whole stacks; false: to calls alone. */
bool embedding_open_stacks(void);

/*
 * The ledger is open: samples are taken from now on, of whole stacks. A forked
 * child inherits what its parent has of them.
 */
void embedding_begin_samples(const struct session_claim *claim);

/* In a forked child, whether they were opened or not. */
void embedding_adopt_stacks(void);

/* In a forked child, before it records: accounts that it inherits besides. */
void embedding_inherit(struct ledger_header *header);
#else /* libtally has no entry points, events, maps, stacks or samples */
#define embedding_choose_mode()        ((void)0)
#define embedding_open(claim)          ((void)(claim))
#define embedding_map_table()          0
#define embedding_open_stacks()        false
#define embedding_begin_samples(claim) ((void)(claim))
#define embedding_adopt_stacks()       ((void)0)
#define embedding_inherit(header)      ((void)(header))
#endif
