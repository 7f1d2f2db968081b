/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_tagged.c - tally/tagged.h over libc, with hook.c's accounts
 *
 * References and sizes are kept beside the blocks, in a table under one lock,
 * like the ledger's shadow: a block that is not in it is foreign.
 */
#include "tally/tagged.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/accounts/mem_profiling.h"
#include "core/tags/alloc_tag.h"
#include "tally/hook.h"

enum { BUCKETS = 1 << 14 };

struct entry {
    struct entry *next;
    void *block;
    size_t size;
    tally_reference reference;
};

static struct entry *buckets[BUCKETS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static struct entry **bucket(const void *block)
{
    return &buckets[((uintptr_t)block >> 4) % BUCKETS];
}

/* Remove the block from the table; reference 0: it is not there. */
static struct entry take(void *block)
{
    struct entry taken = { 0 };

    pthread_mutex_lock(&table_lock);
    for (struct entry **link = bucket(block); *link != NULL;
         link = &(*link)->next) {
        struct entry *entry = *link;

        if (entry->block != block)
            continue;
        taken = *entry;
        *link = entry->next;
        free(entry);
        break;
    }
    pthread_mutex_unlock(&table_lock);
    return taken;
}

static void enter(void *block, size_t size, tally_reference reference)
{
    struct entry *entry = malloc(sizeof *entry);
    struct entry **link = bucket(block);

    if (entry == NULL)
        abort();
    pthread_mutex_lock(&table_lock);
    *entry = (struct entry){ *link, block, size, reference };
    *link = entry;
    pthread_mutex_unlock(&table_lock);
}

static void *record(struct alloc_tag *tag, void *block, size_t size)
{
    struct entry unseen = take(block);
    tally_reference reference;
    uint32_t site;

    tally_hook_free(unseen.reference, unseen.size);
    if (block == NULL || tag == NULL || !mem_profiling_is_on())
        return block;
    site = alloc_tag_site(tag);
    reference = tally_hook_alloc(site, size);
    if (reference != 0) {
        mem_profiling_expect_frees();
        enter(block, size, reference);
    }
    return block;
}

void *tally_tag_malloc(struct alloc_tag *tag, size_t size)
{
    return record(tag, malloc(size), size);
}

void *tally_tag_calloc(struct alloc_tag *tag, size_t count, size_t size)
{
    return record(tag, calloc(count, size), count * size);
}

void *tally_tag_realloc(struct alloc_tag *tag, void *block, size_t size)
{
    struct entry old = take(block);
    void *moved = realloc(block, size);

    if (moved == NULL && size != 0) {
        if (old.reference != 0)
            enter(block, old.size, old.reference);
        return NULL;
    }
    tally_hook_free(old.reference, old.size);
    return record(tag, moved, size);
}

void *tally_tag_aligned_alloc(struct alloc_tag *tag, size_t alignment,
                              size_t size)
{
    return record(tag, aligned_alloc(alignment, size), size);
}

int tally_tag_posix_memalign(struct alloc_tag *tag, void **block,
                             size_t alignment, size_t size)
{
    int error = posix_memalign(block, alignment, size);

    if (error == 0)
        record(tag, *block, size);
    return error;
}

void tally_tag_free(void *block)
{
    struct entry old = take(block);

    tally_hook_free(old.reference, old.size);
    free(block);
}
