/* SPDX-License-Identifier: Apache-2.0 */
/* counts_layout.h - counters and notices of a process, and sizes of
   allocations */
#pragma once

#include <stdint.h>

#include "format/invariant.h"
#include "format/ledger/segments_layout.h"

/*
 * Events that could not be recorded, or that no account shows: one counter each
 * in ledger_header.counts[], in this order. Names are keys under "lost" in
 * --json. A report ends with the sentences of the counters that are not zero;
 * [ONE|MANY] selects singular or plural. Append new counters at the end.
 */
#define LEDGER_COUNT_LIST(X)                                                   \
    X(failed_allocations, "request[|s] refused by the allocator")              \
    X(unseen_frees, "block[|s] freed by code that is not recorded")            \
    X(foreign_frees, "free[|s] of [an unrecorded block|unrecorded blocks]")    \
    X(lost_allocations, "allocation[|s] not recorded (out of memory)")         \
    X(lost_frees, "free[|s] not recorded")                                     \
    X(lost_sites, "call site[|s] not recorded (table full)")                   \
    X(lost_modules, "module[|s] not recorded (table full)")                    \
    X(lost_maps, "mmap, munmap or mremap call[|s] not recorded")               \
    X(raw_map_calls,                                                           \
      "mmap-family call[|s] made through syscall(), not recorded")             \
    X(lost_notices, "notice[|s] dropped (table full)")                         \
    X(unrecorded_forks,                                                        \
      "forked child[|ren] not recorded: no descriptor or ledger was free, or " \
      "[it|they] changed user, root or sandbox (start tally record there)")    \
    X(truncated_stacks, "truncated stack[|s]")                                 \
    X(lost_events, "event[|s] missing from the trace (buffer full)")           \
    X(lost_stacks,                                                             \
      "time[|s] that the table of stacks was full: charged to the call site "  \
      "only")                                                                  \
    X(unrecorded_images,                                                       \
      "process image[|s] not recorded: out of memory (see --most), address "   \
      "space or descriptors, or killed or left running at [its|their] start")  \
    X(left_running, "process[|es] left running before opening a ledger, "      \
                    "not recorded")                                            \
    X(lost_labels,                                                             \
      "time[|s] that the table of labels was full: charged to the "            \
      "label other")                                                           \
    X(older_frees,                                                             \
      "free[|s] of [a block|blocks] older than the recording, not counted")

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
    X(child_static, "statically linked, so not recorded: %s")                  \
    X(child_setuid, "set-user-ID or privileged, so not recorded: %s")          \
    X(child_no_preload, "started without LD_PRELOAD, so not recorded: %s")     \
    X(own_allocator,                                                           \
      "has its own allocator, or functions of one, that could not be "         \
      "patched; its blocks are not recorded, only the mmap memory it takes; "  \
      "record that program itself, or build it with libc's malloc: %s")        \
    X(deepbind,                                                                \
      "loaded with RTLD_DEEPBIND, so its allocations are not recorded: %s")    \
    X(references_exhausted, "too many call sites for compressed references; "  \
                            "profiling was disabled%s")                        \
    X(compressed_refused, "compressed references need libc's allocator; full " \
                          "ones were used%s")                                  \
    X(sandboxed,                                                               \
      "a seccomp filter was installed; children forked after it are "          \
      "not recorded%s")                                                        \
    X(child_no_session,                                                        \
      "could not reach the recording, as another user or in another root or "  \
      "namespace, so not recorded; start tally record there, as that user: "   \
      "%s")                                                                    \
    X(child_foreign, "built for another libc or machine, so not recorded: %s") \
    X(child_sanitized, "needs a sanitizer's runtime, which must be loaded "    \
                       "first, so not recorded: %s")                           \
    X(child_little_room, "has less than 16 MiB of address space (ulimit -v), " \
                         "so not recorded: %s")                                \
    X(labels_refused,                                                          \
      "labels need whole stacks, so they are not recorded; use "               \
      "--stacks=all or --stacks=sampled%s")                                    \
    X(child_past_limit,                                                        \
      "started after the recording reached its memory limit (--most), so not " \
      "recorded: %s")                                                          \
    X(namespace,                                                               \
      "loaded into a namespace of its own by dlmopen, so its allocations are " \
      "not recorded: %s")

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

STATIC_ASSERT(sizeof(struct ledger_notice) == 32);
