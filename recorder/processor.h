/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processor.h - all that depends on the processor
 *
 *     registers of frames  unwind/cfi.h, ORIGIN_HERE of unwind/unwind.h
 *     calls passed on      WATCHED of process/watched_calls.c, vfork in
 *                          process/children.c: all arguments are kept
 *     jumps over entries   process/patches.c, tool/patch/, tool/attach/
 *     thread-local words   process/attached.c
 *     system calls         ports/posix/raw_calls.h
 *     counters of CPUs     ledger/shards/shard_add.h
 *     its own clock        ports/posix/tick_clock.h
 *
 * Without one of them, stacks are missing or programs crash: a port needs all.
 */
#pragma once

#if !defined __x86_64__ || !defined __LP64__
#error "the recorder is not ported to this processor; see recorder/processor.h"
#endif
