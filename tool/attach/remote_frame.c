/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_frame.c - the kernel's frame of a signal; see remote_frame.h
 *
 * As in the kernel's asm/sigcontext.h and asm/ucontext.h of x86-64. The
 * alternate stack has flags that the kernel refuses, and leaves the thread's.
 */
#include "tool/attach/remote_frame.h"

#include <cpuid.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "tool/attach/place_names.h"
#include "tool/session/find/process_state.h"
#include "tool/tables/memory.h"

enum {
    HAS_FLOATING = 1, /* UC_FP_XSTATE */
    HAS_SS = 2 | 4,   /* UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
    INVALID_STACK = 0x7fff,
    MAGIC1 = 0x46505853,
    MAGIC2 = 0x46505845,
    SOFTWARE_WORDS = 464, /* struct _fpx_sw_bytes in the floating state */
    USED_FEATURES = 512,  /* first word behind them */
    FIRST_EXTENDED = 2,   /* feature that CPUID tells the place of */
    TILES = 17 | 1 << 8,  /* features 17 and 18, of AMX */
    RESTART_FIRST = 512,  /* the kernel's ERESTART numbers */
    RESTART_LAST = 516,
    SYSCALL_SIZE = 2,
};

struct context {
    uint64_t flags, link, stack, stack_flags, stack_size;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
    uint64_t rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
    uint16_t cs, gs, fs, ss;
    uint64_t error, trap, old_mask, cr2, floating, reserved[8];
    uint64_t mask;
};

_Static_assert(sizeof(struct context) == 304, "struct ucontext");

struct frame {
    uint64_t store, errno_address, pop, errno_value, store_half, unused,
        restore;
    struct context context;
    uint64_t result;
    uint64_t pad;
};

uint64_t remote_frame_end(uint64_t start)
{
    return start + offsetof(struct frame, context);
}

/* Keeps the first place; text is of libc. */
static void find_bytes(uint64_t *place, const uint8_t *text, size_t size,
                       uint64_t address, const char *bytes, size_t length)
{
    const uint8_t *found = memmem(text, size, bytes, length);

    if (*place == 0 && found != NULL)
        *place = address + (uint64_t)(found - text);
}

#define FIND(place, bytes) \
    find_bytes(&(place), text, size, entry->start, bytes, sizeof bytes - 1)

static void look_in(struct remote_code *code, const struct tracee *tracee,
                    const struct smaps_entry *entry)
{
    size_t size = entry->end - entry->start;
    uint8_t *text = memory_zeroed(1, size);

    if (tracee_read(tracee, entry->start, text, size)) {
        FIND(code->restore, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05");
        FIND(code->store, "\x48\x89\x03\x5b\xc3");
        FIND(code->pop, "\x58\xc3");
        FIND(code->syscall, "\x0f\x05\xc3");
    }
    free(text);
}

/* [endbr64]; mov offset(%rip), %rax; add %fs:0, %rax; ret */
static void find_errno(struct remote_code *code, const struct tracee *tracee,
                       uint64_t address)
{
    uint8_t text[24];
    int32_t distance;

    if (!tracee_read(tracee, address, text, sizeof text))
        return;
    if (memcmp(text, "\xf3\x0f\x1e\xfa", 4) == 0) {
        memmove(text, text + 4, sizeof text - 4);
        address += 4;
    }
    memcpy(&distance, text + 3, sizeof distance);
    if (memcmp(text, "\x48\x8b\x05", 3) == 0 &&
        memcmp(text + 7, "\x64\x48\x03\x04\x25\0\0\0\0\xc3", 10) == 0)
        tracee_read(tracee, address + 7 + (uint64_t)(int64_t)distance,
                    &code->errno_offset, sizeof code->errno_offset);
}

int remote_code_find(struct remote_code *code, const struct tracee *tracee,
                     uint64_t errno_location, struct session_failure *failure)
{
    struct smaps maps = { .file = process_file(tracee->pid, "maps") };
    struct smaps_entry entry;

    *code = (struct remote_code){ 0 };
    while (maps.file != NULL && smaps_next(&maps, &entry)) {
        if (entry.access[2] == 'x' && file_kind_of(entry.path) == FILE_LIBC)
            look_in(code, tracee, &entry);
    }
    smaps_end(&maps);
    if (maps.file != NULL)
        fclose(maps.file);
    find_errno(code, tracee, errno_location);
    if (code->restore != 0 && code->store != 0 && code->pop != 0 &&
        code->syscall != 0 && code->errno_offset != 0)
        return 0;
    return session_fail(
        failure,
        "process %ld: its libc is not built as those that tally "
        "knows; start the program under tally record",
        (long)tracee->pid);
}

bool remote_state_get(struct remote_state *state, pid_t tid)
{
    struct iovec vector = { state->floating, sizeof state->floating };

    if (!tracee_get_registers(tid, &state->registers) ||
        ptrace(PTRACE_GETSIGMASK, tid, sizeof state->mask, &state->mask) < 0 ||
        ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &vector) < 0)
        return false;
    state->floating_size = vector.iov_len;
    return true;
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
   shows some: then the kernel refuses a frame with them. */
static size_t used_size(const struct remote_state *state, uint64_t *features)
{
    uint64_t used, tiles = UINT64_C(3) << 17;
    size_t size = 576;
    unsigned a, b, c, d;

    memcpy(features, state->floating + SOFTWARE_WORDS, sizeof *features);
    memcpy(&used, state->floating + USED_FEATURES, sizeof used);
    if ((*features & tiles) == 0 || (used & tiles) != 0)
        return state->floating_size;
    *features &= ~tiles;
    for (unsigned i = FIRST_EXTENDED; i < 63; i++) {
        if ((*features >> i & 1) != 0 &&
            __get_cpuid_count(13, i, &a, &b, &c, &d) && a + b > size)
            size = a + b;
    }
    return size;
}

static bool write_floating(const struct tracee *tracee,
                           const struct remote_state *state, uint64_t address)
{
    uint64_t features;
    size_t size = used_size(state, &features);
    uint8_t *bytes = memory_zeroed(1, size + sizeof(uint32_t));
    uint32_t words[] = { MAGIC1, (uint32_t)size + sizeof(uint32_t),
                         (uint32_t)features, (uint32_t)(features >> 32),
                         (uint32_t)size };
    bool is_written;

    memcpy(bytes, state->floating, size);
    memcpy(bytes + SOFTWARE_WORDS, words, sizeof words);
    memcpy(bytes + size, &(uint32_t){ MAGIC2 }, sizeof(uint32_t));
    is_written = tracee_write(tracee, address, bytes, size + sizeof(uint32_t));
    free(bytes);
    return is_written;
}

static void fill_context(struct context *context,
                         const struct remote_state *state, uint64_t floating)
{
    struct user_regs_struct now = remote_state_restarted(state);

    *context = (struct context){
        .flags = HAS_FLOATING | HAS_SS,
        .stack_flags = INVALID_STACK,
        .r8 = now.r8,
        .r9 = now.r9,
        .r10 = now.r10,
        .r11 = now.r11,
        .r12 = now.r12,
        .r13 = now.r13,
        .r14 = now.r14,
        .r15 = now.r15,
        .rdi = now.rdi,
        .rsi = now.rsi,
        .rbp = now.rbp,
        .rbx = now.rbx,
        .rdx = now.rdx,
        .rax = now.rax,
        .rcx = now.rcx,
        .rsp = now.rsp,
        .rip = now.rip,
        .eflags = now.eflags,
        .cs = (uint16_t)now.cs,
        .ss = (uint16_t)now.ss,
        .floating = floating,
        .mask = state->mask,
    };
}

uint64_t remote_frame_write(const struct remote_code *code,
                            const struct tracee *tracee,
                            const struct remote_state *state, uint64_t top,
                            uint64_t *result)
{
    uint64_t floating =
        (top - state->floating_size - sizeof(uint32_t)) & ~UINT64_C(63);
    /* As behind a call: the context lies at a multiple of 16. */
    uint64_t start = ((floating - sizeof(struct frame)) & ~UINT64_C(15)) - 8;
    uint64_t errno_address = state->registers.fs_base + code->errno_offset;
    uint32_t errno_value;
    struct frame frame;

    if (!tracee_read(tracee, errno_address, &errno_value, sizeof errno_value))
        return 0;
    frame = (struct frame){
        .store = code->store,
        .errno_address = errno_address,
        .pop = code->pop,
        .errno_value = errno_value,
        .store_half = code->store + 1,
        .restore = code->restore,
    };
    fill_context(&frame.context, state, floating);
    *result = start + offsetof(struct frame, result);
    if (!tracee_write(tracee, start, &frame, sizeof frame) ||
        !write_floating(tracee, state, floating))
        return 0;
    return start;
}
