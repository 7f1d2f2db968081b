/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tags.c - code tags on Zephyr: the live blocks and bytes of each source line
 *
 * Blocks have no room for a reference: a table has those that are charged, in
 * lists by address. A tag counts its blocks in `site`, their bytes in `word`.
 */
#include "tally/alloc_tag.h"

#include <zephyr/kernel.h>
#ifdef CONFIG_SHELL
#include <zephyr/shell/shell.h>
#endif
#include <zephyr/sys/printk.h>

#include "ports/zephyr/calls.h"

/* Average length of a list in a full table, and the number of lists. */
enum { LENGTH = 4, LISTS = CONFIG_TALLY_CODE_TAGS_BLOCKS / LENGTH + 1 };

struct block {
    struct block *next;
    const void *address;
    struct alloc_tag *tag;
    uint32_t size;
};

static struct {
    struct block *unused; /* after an earlier use */
    uint32_t count;       /* blocks that were ever used */
    struct block *lists[LISTS];
    struct block blocks[CONFIG_TALLY_CODE_TAGS_BLOCKS];
} table;

/* Tags in force of threads, of interrupts, and of all further threads. */
static struct tag_slot {
    const void *owner;
    struct alloc_tag *tag;
} slots[CONFIG_TALLY_CODE_TAGS_THREADS + 1];
#define LAST_SLOT (&slots[CONFIG_TALLY_CODE_TAGS_THREADS])

uint32_t tally_mem_profiling_hooks = 1;

extern struct alloc_tag __start_alloc_tags[], __stop_alloc_tags[];

static struct tag_slot *find_slot(void)
{
    const void *self = k_is_in_isr() ? (const void *)slots : k_current_get();
    struct tag_slot *slot = slots;
    unsigned int key = irq_lock();

    while (slot < LAST_SLOT && slot->owner != self && slot->owner != NULL)
        slot++;
    slot->owner = self;
    irq_unlock(key);
    return slot;
}

struct alloc_tag **tally_tag_slot(void)
{
    return &find_slot()->tag;
}

static struct block **list_of(const void *address)
{
    return &table.lists[(uintptr_t)address / sizeof(void *) % LISTS];
}

/* End the charge of a block. */
static void forget(const void *address)
{
    struct block **link = list_of(address);
    struct block *block;

    while ((block = *link) != NULL && block->address != address)
        link = &block->next;
    if (block == NULL)
        return;
    block->tag->site--;
    block->tag->word -= block->size;
    *link = block->next;
    block->next = table.unused;
    table.unused = block;
}

static bool charge(struct alloc_tag *tag, const void *address, uint32_t size)
{
    struct block **list = list_of(address);
    struct block *block = table.unused;

    if (block != NULL)
        table.unused = block->next;
    else if (table.count < CONFIG_TALLY_CODE_TAGS_BLOCKS)
        block = &table.blocks[table.count++];
    else
        return false;
    *block = (struct block){ *list, address, tag, size };
    *list = block;
    tag->site++;
    tag->word += size;
    return true;
}

void tally_calls_charge(uint8_t op, void *result, uintptr_t first,
                        uintptr_t second)
{
    bool is_old = op == MBED_MEM_TRACE_REALLOC || op == MBED_MEM_TRACE_FREE;
    uint32_t size = (uint32_t)(is_old ? second : first * second);
    struct tag_slot *slot = find_slot();
    unsigned int key = irq_lock();

    if (is_old && (result != NULL || size == 0))
        forget((const void *)first);
    forget(result); /* its free was not seen */
    if (result != NULL && slot->tag != NULL &&
        (!charge(slot->tag, result, size) || slot == LAST_SLOT))
        slot->tag->flags |= ALLOC_TAG_INACCURATE;
    irq_unlock(key);
}

struct alloc_tag_counters alloc_tag_read(const struct alloc_tag *tag)
{
    return (struct alloc_tag_counters){ .bytes = tag->word,
                                        .peak_seen = tag->word,
                                        .calls = tag->site };
}

#ifdef CONFIG_SHELL
#define PRINT(...) shell_print(shell, __VA_ARGS__)
static int print_tags(const struct shell *shell,
                      size_t argc __attribute__((unused)),
                      char **argv __attribute__((unused)))
#else
#define PRINT(...) (printk(__VA_ARGS__), printk("\n"))
int allocinfo_write(int fd __attribute__((unused)))
#endif
{
    PRINT("allocinfo - version: 2.0\n#     <size>  <calls> <tag info>");
    for (const struct alloc_tag *tag = __start_alloc_tags;
         tag < __stop_alloc_tags; tag++)
        PRINT("%12u %8u %s:%u func:%s %s", (unsigned)tag->word,
              (unsigned)tag->site, tag->file, (unsigned)tag->lineno,
              tag->function,
              (tag->flags & ALLOC_TAG_INACCURATE) != 0 ? "accurate:no " : "");
    return 0;
}

#ifdef CONFIG_SHELL
SHELL_CMD_REGISTER(allocinfo, NULL, "live blocks", print_tags);
#endif
