/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patches.c - see allocators.h; all is checked before anything is written
 *
 *     program  -->  its malloc: jump  -->  patched malloc  -->  malloc
 *                                                                 |
 *     its malloc, behind the jump  <--  moved code  <--  real.malloc
 */
#define _GNU_SOURCE
#include "recorder/process/allocators.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "recorder/calls/real_allocator.h"
#include "recorder/calls/recording.h"
#include "recorder/real_functions.h"

#define PATCHED(type, name, parameters, arguments)                             \
    HIDDEN type own_##name parameters;                                         \
                                                                               \
    static type patched_##name parameters                                      \
    {                                                                          \
        return UNLIKELY(real_allocator_depth != 0) ? moved_code.name arguments \
                                                   : own_##name arguments;     \
    }
REAL_BUT_MALLOC_LIST(PATCHED)

/* The two that are called most, inlined: a jump less. */
static void *patched_malloc(size_t size)
{
    return UNLIKELY(real_allocator_depth != 0) ? moved_code.malloc(size)
                                               : acquire(size);
}

static void patched_free(void *block)
{
    if (UNLIKELY(real_allocator_depth != 0))
        moved_code.free(block);
    else
        release(block);
}

/* Calls from libc itself stay in libc: no preload would see them either. */
#define SERVICE(type, name, parameters, arguments)                     \
    HIDDEN type own_##name parameters;                                 \
                                                                       \
    static type patched_##name parameters                              \
    {                                                                  \
        return UNLIKELY(real_is_libcs(CALLER)) ? real.name arguments   \
                                               : own_##name arguments; \
    }
REAL_SERVICE_LIST(SERVICE)

/* No exception for libc: system() runs a program for its caller. */
#define DIRECT(name) extern HIDDEN __typeof__(name) own_##name;
EXEC_NAMES(DIRECT)
FILTER_NAMES(DIRECT)

/* Return the function that patched calls of `name` reach, or NULL. */
static void *patched_entry(const char *name)
{
#define ROW(name)        { #name, (void *)patched_##name },
#define DIRECT_ROW(name) { #name, (void *)own_##name },
    const struct {
        const char *name;
        void *entry;
    } rows[] = { FAMILY_NAMES(ROW) SERVICE_NAMES(ROW) EXEC_NAMES(DIRECT_ROW)
                     FILTER_NAMES(DIRECT_ROW) };

    if (*name == PATCH_PREFIXED && prefixed_entry(name + 1, NULL) != NULL)
        return prefixed_entry(name + 1, NULL);
    name += *name == PATCH_PREFIXED;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].entry;
    }
    return new_delete_entry(name);
}

enum {
    PAGE = 4096,
    STEP = 16 << 20, /* distance of places that are tried for the moved code */
    STEPS = 120,     /* in each direction: less than 2 GiB */
    PLAN = 2 * PATCH_ROOM, /* offset of a copy of the plan */
    SIZE = PLAN + (sizeof(struct patch_plan) + PAGE - 1) / PAGE * PAGE,
};

_Static_assert((int)PATCH_CODE >= 16, "room for a jump to the recorder");

/* Indexed by `is_far`. Each entry has its moved code, and at the same index its
   jump to the hook. Both areas map one file, and each has its own code. */
KEPT static char *areas[2];

static bool map_at(char **area, uintptr_t place, int fd)
{
    long at = raw_mmap((void *)place, SIZE, PROT_READ | PROT_EXEC,
                       MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);

    if (raw_failed(at))
        return false;
    if (at != (long)place) { /* Linux before 4.17 takes the address as a hint */
        raw_munmap((void *)(uintptr_t)at, SIZE);
        return false;
    }
    *area = (char *)(uintptr_t)at;
    return true;
}

/* Map within reach of the jumps and of the targets of the moved code. */
static bool map_near(char **area, uintptr_t program, int fd)
{
    uintptr_t middle = program / PAGE * PAGE;

    for (uintptr_t i = 1; i <= STEPS; i++) {
        if (map_at(area, middle + i * STEP, fd) ||
            (middle > i * STEP && map_at(area, middle - i * STEP, fd)))
            return true;
    }
    return false;
}

/* Copy the code; correct its relative words for its move by `away` bytes. */
static bool copy_code(const struct patch_entry *entry, char *to, int64_t away)
{
    memcpy(to, entry->code, entry->code_size);
    for (uint32_t i = 0; i < entry->offset_count; i++) {
        char *at = to + entry->offsets[i];
        int64_t moved;
        int32_t word;

        if (entry->offsets[i] + sizeof word > entry->code_size)
            return false;
        memcpy(&word, at, sizeof word);
        moved = word - away;
        word = (int32_t)moved;
        memcpy(at, &word, sizeof word);
        if (word != moved)
            return false;
    }
    return true;
}

static bool prepare(const struct patch_plan *plan, uintptr_t bias, char *to)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];
        bool is_far = entry->is_far != 0;
        int64_t away =
            (int64_t)((uintptr_t)areas[is_far] - (plan->moved[is_far] + bias));
        char *code = to + i * (size_t)PATCH_CODE;

        if (entry->name[PATCH_NAME - 1] != '\0' ||
            entry->covered_size > PATCH_COVERED ||
            entry->code_size > PATCH_CODE ||
            entry->offset_count > PATCH_OFFSETS || entry->same_as > i)
            return false;
        if (entry->covered_size == 0)
            continue;
        if (memcmp((const void *)(entry->at + bias), entry->covered,
                   entry->covered_size) != 0 ||
            !copy_code(entry, code, away))
            return false;
    }
    return true;
}

static char *moved_to(const struct patch_plan *plan, uint32_t number)
{
    return areas[plan->entries[number].is_far != 0] +
           number * (size_t)PATCH_CODE;
}

/* Return the code that stands for an entry from now on. */
static void *code_of(const struct patch_plan *plan, uint32_t number,
                     uintptr_t bias)
{
    const struct patch_entry *entry = &plan->entries[number];

    if (entry->same_as != 0)
        number = entry->same_as - 1u;
    else if (entry->covered_size == 0)
        return (void *)(entry->function + bias);
    return moved_to(plan, number);
}

static bool write_jump(uintptr_t at, const char *to)
{
    char *first = (char *)(at / PAGE * PAGE);
    size_t size = (at + PATCH_JUMP - (uintptr_t)first + PAGE - 1) / PAGE * PAGE;
    int32_t away = (int32_t)((uintptr_t)to - (at + PATCH_JUMP));
    char *bytes = (char *)at;

    if (raw_failed(raw_call(SYS_mprotect, RAW_ARGUMENT(first), (long)size,
                            PROT_READ | PROT_WRITE, 0, 0, 0)))
        return false;
    bytes[0] = (char)PATCH_JUMP_CODE;
    memcpy(bytes + 1, &away, sizeof away);
    raw_call(SYS_mprotect, RAW_ARGUMENT(first), (long)size,
             PROT_READ | PROT_EXEC, 0, 0, 0);
    return true;
}

static void write_hook_jumps(const struct patch_plan *plan, uintptr_t bias,
                             char *to)
{
    /* jmp *(%rip), and the address */
    static const unsigned char jump[] = { 0xff, 0x25, 0, 0, 0, 0 };

    for (uint32_t i = 0; i < plan->count; i++) {
        void *hook = patched_entry(plan->entries[i].name);
        char *at = to + PATCH_ROOM + i * (size_t)PATCH_CODE;

        if (plan->entries[i].covered_size == 0)
            continue;
        if (hook == NULL) /* an unknown function goes on in its own code */
            hook = code_of(plan, i, bias);
        memcpy(at, jump, sizeof jump);
        memcpy(at + sizeof jump, &hook, sizeof hook);
    }
}

/* Fill the area through another map: no page is both written and run. */
static bool fill(const struct patch_plan *plan, uintptr_t bias, int fd)
{
    long at = raw_mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *to = (char *)(uintptr_t)at;
    bool is_filled;

    if (raw_failed(at))
        return false;
    is_filled = prepare(plan, bias, to);
    write_hook_jumps(plan, bias, to);
    memcpy(to + PLAN, plan, sizeof *plan);
    raw_munmap(to, SIZE);
    return is_filled;
}

static bool map_areas(const struct patch_plan *plan, uintptr_t bias, int fd)
{
    bool are_mapped = true;

    for (uint32_t i = 0; i < plan->count; i++) {
        char **area = &areas[plan->entries[i].is_far != 0];

        are_mapped = are_mapped &&
                     (*area != NULL ||
                      map_near(area, plan->entries[i].function + bias, fd));
    }
    return are_mapped;
}

/* Make the area, which is permanent, as a thread may be in it at any time. */
static bool make_area(const struct patch_plan *plan, uintptr_t bias)
{
    char *before[] = { areas[0], areas[1] };
    long fd = raw_call(SYS_memfd_create, RAW_ARGUMENT(PATCH_AREA),
                       MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0, 0, 0);
    bool is_made = false;

    if (raw_failed(fd))
        return false;
    memset(areas, 0, sizeof areas);
    if (!raw_failed(raw_call(SYS_ftruncate, fd, SIZE, 0, 0, 0, 0)))
        is_made = map_areas(plan, bias, (int)fd) && fill(plan, bias, (int)fd);
    for (int i = 0; i < 2 && !is_made; i++) {
        if (areas[i] != NULL)
            raw_munmap(areas[i], SIZE);
        areas[i] = before[i];
    }
    /* Children have the same pages, and perhaps fewer rights. */
    raw_call(SYS_fcntl, fd, F_ADD_SEALS,
             F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, 0, 0, 0);
    raw_close((int)fd);
    return is_made;
}

/* Return true if the area is from another session of this process and fits. */
static bool is_made(const struct patch_plan *plan)
{
    const struct patch_plan *made = (const void *)(areas[0] + PLAN);

    return areas[0] != NULL && made->count == plan->count &&
           made->is_libc == plan->is_libc &&
           memcmp(made->entries, plan->entries,
                  plan->count * sizeof plan->entries[0]) == 0;
}

/* Return true for functions of libc that call no other of the family. */
static bool is_leaf(const struct patch_plan *plan, const char *name)
{
    return plan->is_libc != 0 &&
           (strcmp(name, "malloc") == 0 || strcmp(name, "free") == 0);
}

static void set_real_functions(const struct patch_plan *plan, uintptr_t bias)
{
    bool is_libcs = plan->is_libc != 0;

    real_allocator_begin();
    for (uint32_t i = 0; i < plan->count; i++) {
        const char *name = plan->entries[i].name;

        if (new_delete_entry(name) != NULL)
            new_delete_take_over();
        is_libcs = is_libcs && *name != PATCH_PREFIXED;
        if (*name == PATCH_PREFIXED)
            (void)prefixed_entry(name + 1, code_of(plan, i, bias));
        else
            real_allocator_set(name, code_of(plan, i, bias),
                               is_leaf(plan, name));
    }
    real_functions_patched(is_libcs);
}

static bool prepare_patches(const struct patch_plan *plan, uintptr_t bias)
{
    if (plan->count == 0 || plan->count > PATCH_CAPACITY ||
        (!is_made(plan) && !make_area(plan, bias)))
        return false;
    set_real_functions(plan, bias);
    return true;
}

bool patches_attach(struct patch_plan *plan)
{
    if (!prepare_patches(plan, 0))
        return false;
    for (int i = 0; i < 2; i++)
        plan->ways[i] = (uintptr_t)areas[i] + PATCH_ROOM;
    /* Prefixed functions may be a plugin's, which the program may unload. */
    for (uint32_t i = 0; i < plan->count && ledger_jump == NULL; i++) {
        if (plan->entries[i].covered_size != 0 &&
            *plan->entries[i].name != PATCH_PREFIXED)
            ledger_jump = (const uint8_t *)(uintptr_t)plan->entries[i].at;
    }
    return true;
}

bool patches_apply(struct session_header *header)
{
    const struct patch_plan *plan = plan_file_find(header);
    uintptr_t bias;
    bool is_done;

    if (plan == NULL)
        return false;
    bias = getauxval(AT_ENTRY) - plan->entry;
    is_done = areas[0] == NULL && prepare_patches(plan, bias);
    if (plan->why[0] != '\0')
        memcpy(header->own_allocator, plan->why, PATCH_WHY - 1);
    /* If a page cannot be written to, it is the first: all jumps or none. */
    for (uint32_t i = 0; is_done && i < plan->count; i++) {
        const struct patch_entry *entry = &plan->entries[i];

        if (entry->covered_size != 0 && patched_entry(entry->name) != NULL)
            write_jump(entry->at + bias, moved_to(plan, i) + PATCH_ROOM);
    }
    raw_munmap((void *)(uintptr_t)plan, sizeof *plan);
    return is_done;
}
