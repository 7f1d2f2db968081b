/* SPDX-License-Identifier: Apache-2.0 */
/* unwind_rules.c - making each rule once; see unwind_rules.h */
#include "unwind/unwind_rules.h"

#include "core/base/own_memory.h"
#include "ports/posix/loaded_files.h"
#include "ports/posix/memory/pages.h"

/* Rules beyond this number are made anew each time. */
enum { CAPACITY = UNWIND_RULES_CHUNKS * UNWIND_RULES_TOGETHER };

int unwind_rules_open(struct unwind_rules *rules)
{
    rules->count = 1;
    return site_table_open(&rules->ids, SITE_TABLE_SMALL);
}

static struct unwind_rule *rule_at(const struct unwind_rules *rules,
                                   uint32_t id)
{
    struct unwind_rule *chunk = __atomic_load_n(
        &rules->chunks[id / UNWIND_RULES_TOGETHER], __ATOMIC_ACQUIRE);

    return chunk == NULL ? NULL : &chunk[id % UNWIND_RULES_TOGETHER];
}

void unwind_rules_unlock(struct unwind_rules *rules)
{
    for (uint32_t i = 0; i < UNWIND_RULES_CHUNKS; i++) {
        if (rules->chunks[i] != NULL)
            pages_unlock(rules->chunks[i],
                         UNWIND_RULES_TOGETHER * sizeof(struct unwind_rule));
    }
}

static struct unwind_rule *take_rule(struct unwind_rules *rules, uint32_t *id)
{
    static struct own_memory own = OWN_MEMORY;
    size_t size = UNWIND_RULES_TOGETHER * sizeof(struct unwind_rule);
    struct unwind_rule **chunk, *none = NULL, *made;

    /* checked first, so that it does not count up for ever */
    if (__atomic_load_n(&rules->count, __ATOMIC_RELAXED) >= CAPACITY)
        return NULL;
    *id = __atomic_fetch_add(&rules->count, 1, __ATOMIC_RELAXED);
    if (*id >= CAPACITY)
        return NULL;
    chunk = &rules->chunks[*id / UNWIND_RULES_TOGETHER];
    if (__atomic_load_n(chunk, __ATOMIC_ACQUIRE) == NULL) {
        made = own_memory_alloc(&own, size);
        if (made == NULL)
            return NULL;
        if (!__atomic_compare_exchange_n(chunk, &none, made, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            own_memory_free(&own, made, size);
    }
    return rule_at(rules, *id);
}

void unwind_rules_forget(struct unwind_rules *rules)
{
    site_table_sleep(&rules->ids, 0, UINTPTR_MAX);
}

bool unwind_rules_file(uintptr_t address, struct eh_frame_file *file)
{
    struct loaded_file loaded;
    struct eh_frame_file found;

    if (!loaded_files_find(address, &loaded) || loaded.eh_frame_header == 0)
        return false;
    if (file->header == loaded.eh_frame_header && file->file_end == loaded.end)
        return true;
    found.header = loaded.eh_frame_header;
    found.file_end = loaded.end;
    if (!loaded_files_segment(&loaded, found.header, &found.start,
                              &found.end) ||
        !loaded_files_segment(&loaded, eh_frame_open(&found),
                              &found.frames_start, &found.frames_end))
        return false;
    /* A handler that interrupts here, and leaves by longjmp, leaves none. */
    file->header = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    file->start = found.start;
    file->end = found.end;
    file->frames_start = found.frames_start;
    file->frames_end = found.frames_end;
    file->rows = found.rows;
    file->row_count = found.row_count;
    file->file_end = found.file_end;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    file->header = found.header;
    return true;
}

struct wanted {
    const struct unwind_rules *rules;
    const struct unwind_rule *rule;
};

static bool is_wanted(uint32_t id, void *context)
{
    const struct wanted *wanted = context;

    return memcmp(rule_at(wanted->rules, id), wanted->rule,
                  sizeof *wanted->rule) == 0;
}

/* Store a rule. A file that is reloaded at the same address gets its old
   rules. */
static void keep(struct unwind_rules *rules, uintptr_t address,
                 const struct unwind_rule *rule)
{
    struct wanted wanted = { rules, rule };
    struct unwind_rule *kept;
    uint32_t id;

    if (site_table_wake(&rules->ids, address, is_wanted, &wanted) != 0)
        return;
    kept = take_rule(rules, &id);
    if (kept == NULL)
        return;
    *kept = *rule;
    site_table_enter(&rules->ids, address, id);
}

static struct unwind_rule make(uintptr_t address, struct cfi_machine *machine)
{
    struct unwind_rule rule = { .kind = UNWIND_RULE_NONE };

    if (!unwind_rules_file(address, &machine->file))
        return rule;
    rule = unwind_rule_make(address, machine);
    /* A return address at a function's first instruction comes from no call. */
    if (rule.kind == UNWIND_RULE_NONE && cfi_find(machine, address + 1) &&
        machine->entry.start == address + 1)
        rule.kind = UNWIND_RULE_ENTRY;
    return rule;
}

struct unwind_rule unwind_rules_find(struct unwind_rules *rules,
                                     uintptr_t address,
                                     struct cfi_machine *machine)
{
    uint32_t id = site_table_search(&rules->ids, address);
    struct unwind_rule rule;

    if (id != 0)
        return *rule_at(rules, id);
    rule = make(address, machine);
    keep(rules, address, &rule);
    return rule;
}
