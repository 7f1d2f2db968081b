/* SPDX-License-Identifier: Apache-2.0 */
/* counts_layout.h - counters and notices of a process, and sizes of
   allocations */
#pragma once

#include <stdint.h>

#include "format/ledger/ledger_units.h"

/*
 * Events that could not be recorded, or that no account shows: one counter each
 * in ledger_header.counts[], in this order. Names are keys under "lost" in
 * --json. A report ends with the sentences of the counters that are not zero;
 * [ONE|MANY] selects singular or plural. Append new counters at the end.
 */
#define LEDGER_COUNT_LIST(X)                                                   \
    X(failed_allocations, "request[|s] that the allocator refused")            \
    X(unseen_frees, "block[|s] freed where Tally could not see it")            \
    X(foreign_frees,                                                           \
      "free[|s] of [a block that was|blocks that were] never recorded")        \
    X(lost_allocations, "allocation[|s] not recorded, for want of memory")     \
    X(lost_frees, "free[|s] not recorded")                                     \
    X(lost_sites, "call site[|s] not recorded, for want of room")              \
    X(lost_modules, "module[|s] not recorded, for want of room")               \
    X(lost_maps, "mmap, munmap or mremap call[|s] not recorded")               \
    X(raw_map_calls,                                                           \
      "mmap-family call[|s] made through syscall(), not recorded")             \
    X(lost_notices, "notice[|s] dropped, for want of room")                    \
    X(unrecorded_forks,                                                        \
      "forked child[|ren] that did not reach the recording: what became "      \
      "another user, changed its root or locked itself in needs a tally "      \
      "record of its own, there; or no descriptor or ledger was free")         \
    X(truncated_stacks,                                                        \
      "stack[|s] that could not be followed to [its|their] end")               \
    X(lost_events,                                                             \
      "event[|s] that [is|are] not in the trace, for want of room")            \
    X(lost_stacks,                                                             \
      "time[|s] that [a stack was|stacks were] not told apart, for want of "   \
      "room: charged to the call alone")                                       \
    X(unrecorded_images,                                                       \
      "process image[|s] that opened no ledger: [it|they] could not, for "     \
      "want of memory (see --most), address space or descriptors, or "         \
      "[was|were] killed or left behind as [it|they] began")                   \
    X(left_running,                                                            \
      "process[|es] that ran on and had opened no ledger: what [it does|they " \
      "do] from then on is in no account")                                     \
    X(lost_labels,                                                             \
      "time[|s] that a label was not told apart, for want of room: charged "   \
      "to the label other")                                                    \
    X(older_frees,                                                             \
      "free[|s] of [a block|blocks] older than the recording, which are in "   \
      "no account")

enum ledger_count {
#define LEDGER_COUNT_ENUM(name, sentence) LEDGER_COUNT_##name,
    LEDGER_COUNT_LIST(LEDGER_COUNT_ENUM)
#undef LEDGER_COUNT_ENUM
        LEDGER_COUNT_COUNT
};

enum { LEDGER_NOTICES_PER_SEGMENT = 128 };

/* Facts that a reader of the report should know: name, and sentence, with %s
   for the notice's text. */
#define LEDGER_NOTICE_LIST(X)                                                  \
    X(child_static, "statically linked, so it ran unrecorded: %s")             \
    X(child_setuid, "set-user-ID or privileged, so it ran unrecorded: %s")     \
    X(child_no_preload,                                                        \
      "started without LD_PRELOAD, so it ran unrecorded: %s")                  \
    X(own_allocator,                                                           \
      "has an allocator of its own, or functions of one, that could not be "   \
      "patched; what it hands out is not seen, but only the maps that it "     \
      "takes; record that program itself, or build it with libc's malloc: %s") \
    X(deepbind, "loaded with RTLD_DEEPBIND; its allocations are not seen: %s") \
    X(references_exhausted, "more call sites than compressed references can "  \
                            "name; profiling was disabled%s")                  \
    X(compressed_refused, "compressed references need libc's allocator; full " \
                          "ones were used%s")                                  \
    X(sandboxed, "a seccomp filter was installed; children forked after that " \
                 "are not recorded%s")                                         \
    X(child_no_session,                                                        \
      "could not reach the recording from where it runs, as another user or "  \
      "in another root or namespace, so it ran unrecorded; start tally "       \
      "record there, as that user: %s")                                        \
    X(child_foreign,                                                           \
      "made for another libc or machine, so it ran unrecorded: %s")            \
    X(child_sanitized,                                                         \
      "needs a sanitizer's runtime, which no recorder may precede, so it ran " \
      "unrecorded: %s")                                                        \
    X(child_little_room,                                                       \
      "has less than 16 MiB of address space (ulimit -v), so it ran "          \
      "unrecorded: %s")                                                        \
    X(labels_refused, "labels are not kept, for they need whole stacks; use "  \
                      "--stacks=all or --stacks=sampled%s")                    \
    X(child_past_limit,                                                        \
      "began when the recording was at its limit of memory (--most), so it "   \
      "ran unrecorded: %s")

enum ledger_notice_code {
    LEDGER_NOTICE_NONE = 0,
#define LEDGER_NOTICE_ENUM(name, sentence) LEDGER_NOTICE_##name,
    LEDGER_NOTICE_LIST(LEDGER_NOTICE_ENUM)
#undef LEDGER_NOTICE_ENUM
        LEDGER_NOTICE_COUNT
};

/* Index 0 is never used. */
struct ledger_notice {
    uint32_t code;  /* enum ledger_notice_code; stored last */
    uint32_t times; /* 0: withdrawn */
    struct ledger_text text;
    uint64_t reserved;
};

enum { LEDGER_SIZE_CLASSES = 64 }; /* words of a SIZES segment per shard */

/*
 * Return the index of the word in a SIZES segment that counts allocations of
 * this size: word 0 counts 0 bytes, word n 2^(n-1) to 2^n - 1 bytes, the last
 * one also all above.
 */
static inline uint32_t ledger_size_class(uint64_t size)
{
    return (int64_t)size < 0 ? 63
                             : 63 - (uint32_t)__builtin_clzll(size * 2 | 1);
}

_Static_assert(sizeof(struct ledger_notice) == 32, "layout");
