/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shard_add.h - add to a counter without an atomic instruction
 *
 *     | shard 0 | 1 ... 8 | 9 ... 8 + CPUs |
 *       shared    threads'  CPUs'
 *
 * All threads share shard 0, by atomic adds. Every other shard has one owner at
 * a time:
 *
 *   thread  two adds of one instruction each, which a signal handler on the
 *           same thread cannot split. The cheapest, so the first choice.
 *   CPU     for threads that found no shard of their own. libc has registered
 *           a restartable sequence area (rseq) for each thread. The add reads
 *           the CPU number and the counter, and ends with one 16-byte store; if
 *           the kernel moves, preempts or signals the thread in between, it
 *           restarts the sequence from the beginning. So the store happens on
 *           the CPU that owns the shard, or not at all.
 *
 * The rseq area is libc's; the recorder never registers its own. Valgrind and
 * libc before 2.35 have none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/accounts/site_table.h"
#include "ledger/export.h"

enum {
    SHARD_THREADS = 8,
    SHARD_FIRST_CPU = SHARD_THREADS + 1,
    SHARD_CPU_LIMIT = 64, /* the threads of further CPUs share shard 0 */
};

enum shard_side { SHARD_ALLOC = 0, SHARD_FREE = 16 };

_Static_assert(offsetof(struct ledger_counter, alloc_blocks) == SHARD_ALLOC,
               "");
_Static_assert(offsetof(struct ledger_counter, free_blocks) == SHARD_FREE, "");

struct shard_cpus {
    /* offset of libc's area from the thread pointer, in bytes */
    ptrdiff_t rseq_offset;
    uint32_t count; /* CPUs with a shard; 0: no rseq */
};

extern HIDDEN struct shard_cpus shard_cpus;

/* Find libc's rseq area and the number of CPUs. Return the CPUs, or 0. */
uint32_t shard_cpus_open(void);

#if defined __x86_64__
#define SHARD_HAS_CPUS 1
typedef uint64_t shard_pair __attribute__((vector_size(16)));

/* Add one block of `size` bytes in the shard of the current CPU. Return false
   if the thread has no rseq or the CPU no shard. */
static inline bool shard_add_cpu(struct ledger_counter *in_shard_0,
                                 enum shard_side side, uint64_t size)
{
    shard_pair pair = { 1, size };

    if (shard_cpus.count == 0)
        return false; /* no area to write to */

    char *first = (char *)account_in_shard(in_shard_0, SHARD_FIRST_CPU) + side;

    /* struct rseq: cpu_id at 4, rseq_cs at 8. 0x53053053: libc's signature. */
    __asm__ goto volatile(
        ".pushsection __rseq_cs, \"aw\"\n"
        ".balign 32\n"
        "3: .long 0, 0\n"
        ".quad 1f, 2f - 1f, 4f\n"
        ".popsection\n"
        "5: leaq 3b(%%rip), %%rax\n"
        "movq %%rax, %%fs:8(%[area])\n"
        "1: movl %%fs:4(%[area]), %%eax\n"
        "cmpl %[count], %%eax\n"
        "jae %l[no_shard]\n"
        "shlq $12, %%rax\n"
        "movdqa (%[first], %%rax), %%xmm15\n"
        "paddq %[pair], %%xmm15\n"
        "movdqa %%xmm15, (%[first], %%rax)\n"
        "2:\n"
        ".pushsection __rseq_failure, \"ax\"\n"
        ".byte 0x0f, 0xb9, 0x3d\n"
        ".long 0x53053053\n"
        "4: jmp 5b\n"
        ".popsection\n"
        :
        : [area] "r"(shard_cpus.rseq_offset), [count] "r"(shard_cpus.count),
          [first] "r"(first), [pair] "x"(pair)
        : "rax", "xmm15", "memory", "cc"
        : no_shard);
    return true;
no_shard:
    return false;
}

/* Add to a word that only this thread and its signal handlers change. */
static inline void shard_add_word(int64_t *word, uint64_t added)
{
    __asm__ volatile("addq %1, %0" : "+m"(*word) : "re"(added) : "cc");
}

/* Subtract; return true if the result is negative. */
static inline bool shard_subtract_word(int64_t *word, uint64_t taken)
{
    bool is_negative;

    __asm__ volatile("subq %2, %0"
                     : "+m"(*word), "=@ccs"(is_negative)
                     : "re"(taken));
    return is_negative;
}

/* Add 1; return the value before. */
static inline int64_t shard_count_word(int64_t *word)
{
    int64_t count = 1;

    __asm__ volatile("xaddq %0, %1" : "+r"(count), "+m"(*word) : : "cc");
    return count;
}

/* Store `wanted` if the word is `*held`; else set `*held` to the word. */
static inline bool shard_replace_word(int64_t *word, int64_t *held,
                                      int64_t wanted)
{
    bool is_taken;

    __asm__ volatile("cmpxchgq %3, %0"
                     : "+m"(*word), "+a"(*held), "=@ccz"(is_taken)
                     : "r"(wanted));
    return is_taken;
}

static inline void shard_add_own(struct ledger_counter *counter,
                                 enum shard_side side, uint64_t size)
{
    uint64_t *blocks = (uint64_t *)(void *)((char *)counter + side);

    __asm__ volatile("addq $1, %0\n\taddq %2, %1"
                     : "+m"(blocks[0]), "+m"(blocks[1])
                     : "r"(size)
                     : "cc");
}
#else
/* Not written for this processor yet: only threads own shards. */
#define SHARD_HAS_CPUS 0
static inline bool shard_add_cpu(struct ledger_counter *in_shard_0,
                                 enum shard_side side, uint64_t size)
{
    (void)in_shard_0, (void)side, (void)size;
    return false;
}

static inline void shard_add_word(int64_t *word, uint64_t added)
{
    __atomic_fetch_add(word, (int64_t)added, __ATOMIC_RELAXED);
}

static inline int64_t shard_count_word(int64_t *word)
{
    return __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
}

static inline bool shard_replace_word(int64_t *word, int64_t *held,
                                      int64_t wanted)
{
    return __atomic_compare_exchange_n(word, held, wanted, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline bool shard_subtract_word(int64_t *word, uint64_t taken)
{
    return __atomic_sub_fetch(word, (int64_t)taken, __ATOMIC_RELAXED) < 0;
}

static inline void shard_add_own(struct ledger_counter *counter,
                                 enum shard_side side, uint64_t size)
{
    uint64_t *blocks = (uint64_t *)(void *)((char *)counter + side);

    __atomic_fetch_add(&blocks[0], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&blocks[1], size, __ATOMIC_RELAXED);
}
#endif

/* Add to shard 0. Any thread. */
void shard_add_shared(struct ledger_counter *in_shard_0, enum shard_side side,
                      uint64_t size);
