/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_frame.c - the kernel's frame of a signal; see thread_calls.h
 *
 * The layout is that of the kernel's asm/sigcontext.h and asm/ucontext.h of
 * x86-64. The alternate stack has flags that the kernel refuses, and leaves the
 * thread's.
 */
#include "tool/attach/thread_calls.h"

#include <cpuid.h>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "tool/attach/attach.h"
#include "tool/tables/tables.h"

enum {
    FLAGS =
        1 | 2 | 4, /* UC_FP_XSTATE, UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
    INVALID_STACK = 0x7fff,
    MAGIC1 = 0x46505853,
    MAGIC2 = 0x46505845,
    SOFTWARE_WORDS = 464, /* struct _fpx_sw_bytes in the floating state */
    USED_FEATURES = 512,  /* first word behind them */
    AMX = 17,             /* this feature and the next */
    RESTART_FIRST = 512,  /* the kernel's ERESTART numbers */
    RESTART_LAST = 516,
    SYSCALL_SIZE = 2,
};

struct frame {
    uint64_t store, errno_address, pop, errno_value, store_half, unused,
        restore;
    /* struct ucontext */
    uint64_t flags, link, stack, stack_flags, stack_size;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
    uint64_t rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
    uint16_t cs, gs, fs, ss;
    uint64_t error, trap, old_mask, cr2, floating, reserved[8];
    uint64_t mask;
    /* ours */
    uint64_t result, pad;
};

_Static_assert(offsetof(struct frame, result) - offsetof(struct frame, flags) ==
                   304,
               "as the kernel has it");

uint64_t remote_frame_end(uint64_t start)
{
    return start + offsetof(struct frame, flags);
}

static void look_in(struct remote_code *code, const struct tracee *tracee,
                    const struct smaps_entry *entry)
{
    size_t size = entry->end - entry->start;
    struct {
        uint64_t *to;
        const char *bytes;
        size_t length;
    } wanted[] = {
        { &code->restore, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9 },
        { &code->store, "\x48\x89\x03\x5b\xc3", 5 },
        { &code->pop, "\x58\xc3", 2 },
        { &code->syscall, "\x0f\x05\xc3", 3 },
    };
    OWNED uint8_t *text = NULL;

    if (entry->access[2] != 'x' || file_kind_of(entry->path) != FILE_LIBC)
        return;
    text = memory_zeroed(1, size);
    tracee_read(tracee, entry->start, text, size);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const uint8_t *found =
            memmem(text, size, wanted[i].bytes, wanted[i].length);

        if (found != NULL)
            *wanted[i].to = entry->start + (uint64_t)(found - text);
    }
}

/* [endbr64]; mov distance(%rip), %rax; add %fs:0, %rax; ret */
static void find_errno(struct remote_code *code, const struct tracee *tracee,
                       uint64_t address)
{
    uint8_t text[21] = { 0 };
    int32_t distance;

    if (tracee_read(tracee, address, text, 4) &&
        memcmp(text, "\xf3\x0f\x1e\xfa", 4) == 0)
        address += 4;
    tracee_read(tracee, address, text, 17);
    memcpy(&distance, text + 3, sizeof distance);
    if (memcmp(text, "\x48\x8b\x05", 3) == 0 &&
        memcmp(text + 7, "\x64\x48\x03\x04\x25\0\0\0\0\xc3", 10) == 0)
        tracee_read(tracee, address + 7 + (uint64_t)(int64_t)distance,
                    &code->errno_offset, sizeof code->errno_offset);
}

int remote_code_find(struct remote_code *code, const struct tracee *tracee,
                     uint64_t errno_location)
{
    struct smaps maps = { .file = process_file(tracee->pid, "maps") };
    struct smaps_entry entry;
    bool has_memory = false;

    *code = (struct remote_code){ 0 };
    while (smaps_next(&maps, &entry)) {
        has_memory = true;
        look_in(code, tracee, &entry);
    }
    smaps_end(&maps);
    if (!has_memory)
        return tracee_fail(tracee, "it has ended");
    find_errno(code, tracee, errno_location);
    if (code->restore != 0 && code->store != 0 && code->pop != 0 &&
        code->syscall != 0 && code->errno_offset != 0)
        return 0;
    return tracee_fail(
        tracee, "unknown build of libc; start the program under tally record");
}

bool remote_state_get(struct remote_state *state, pid_t tid)
{
    struct iovec vector = { state->floating, sizeof state->floating };
    bool is_got =
        tracee_get_registers(tid, &state->registers) &&
        ptrace(PTRACE_GETSIGMASK, tid, sizeof state->mask, &state->mask) == 0 &&
        ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &vector) == 0;

    state->floating_size = vector.iov_len;
    return is_got;
}

struct user_regs_struct remote_state_restarted(const struct remote_state *state)
{
    struct user_regs_struct registers = state->registers;
    int64_t result = -(int64_t)registers.rax;

    if ((int64_t)registers.orig_rax >= 0 && result >= RESTART_FIRST &&
        result <= RESTART_LAST) {
        registers.rip -= SYSCALL_SIZE;
        registers.rax = registers.orig_rax;
    }
    registers.orig_rax = UINT64_MAX;
    return registers;
}

/* A thread that never used AMX has no room for its tiles, though the kernel
   shows them: it would refuse a frame that has them. They lie last. */
static size_t trim_tiles(const struct remote_state *state, uint64_t *features)
{
    const uint64_t tiles = UINT64_C(3) << AMX;
    unsigned size, start, flags, d;
    uint64_t used;

    memcpy(features, state->floating + SOFTWARE_WORDS, sizeof *features);
    memcpy(&used, state->floating + USED_FEATURES, sizeof used);
    if ((*features & tiles) == 0 || (used & tiles) != 0 ||
        !__get_cpuid_count(13, AMX, &size, &start, &flags, &d))
        return state->floating_size;
    *features &= ~tiles;
    return start;
}

static bool write_floating(const struct tracee *tracee,
                           const struct remote_state *state, uint64_t address)
{
    uint64_t features;
    uint32_t size = (uint32_t)trim_tiles(state, &features), magic2 = MAGIC2;
    uint32_t words[] = { MAGIC1, size + sizeof magic2, (uint32_t)features,
                         (uint32_t)(features >> 32), size };

    return tracee_write(tracee, address, state->floating, size) &&
           tracee_write(tracee, address + SOFTWARE_WORDS, words,
                        sizeof words) &&
           tracee_write(tracee, address + size, &magic2, sizeof magic2);
}

uint64_t remote_frame_write(const struct remote_code *code,
                            const struct tracee *tracee,
                            const struct remote_state *state, uint64_t top,
                            uint64_t *result)
{
    struct user_regs_struct now = remote_state_restarted(state);
    uint64_t floating = (top - sizeof state->floating) & ~UINT64_C(63);
    /* The stack is as behind a call: the context lies at a multiple of 16. */
    uint64_t start = ((floating - sizeof(struct frame)) & ~UINT64_C(15)) - 8;
    uint64_t errno_address = now.fs_base + code->errno_offset;
    uint32_t errno_value;
    struct frame frame;

    if (!tracee_read(tracee, errno_address, &errno_value, sizeof errno_value))
        return 0;
    /* clang-format off */
    frame = (struct frame){
        code->store, errno_address, code->pop, errno_value, code->store + 1, 0,
        code->restore, FLAGS, 0, 0, INVALID_STACK, 0, now.r8, now.r9, now.r10,
        now.r11, now.r12, now.r13, now.r14, now.r15, now.rdi, now.rsi, now.rbp,
        now.rbx, now.rdx, now.rax, now.rcx, now.rsp, now.rip, now.eflags,
        (uint16_t)now.cs, 0, 0, (uint16_t)now.ss, .floating = floating,
        .mask = state->mask, .result = NO_RESULT
    };
    /* clang-format on */
    *result = start + offsetof(struct frame, result);
    return tracee_write(tracee, start, &frame, sizeof frame) &&
                   write_floating(tracee, state, floating)
               ? start
               : 0;
}
