/* SPDX-License-Identifier: Apache-2.0 */
/* shadow.c - making leaves, and both forms of words; see shadow.h */
#include "ledger/shadow.h"

#include "ports/posix/page_map.h"
#include "ports/posix/pages.h"
#include "tally/port.h"

struct shadow shadow;

void shadow_open(bool is_compressed, bool has_small_blocks)
{
    shadow.granule_log2 =
        has_small_blocks ? SHADOW_SMALL_GRANULE_LOG2 : SHADOW_GRANULE_LOG2;
    shadow.is_compressed = is_compressed;
    shadow.slots[0].start = SHADOW_REGION;
    pages_advise(&shadow, sizeof shadow);
}

static size_t word_size(void)
{
    return shadow.is_compressed ? sizeof(uint16_t) : sizeof(uint32_t);
}

static size_t leaf_words(void)
{
    return (size_t)SHADOW_REGION >> shadow.granule_log2;
}

static size_t leaf_size(void)
{
    return (leaf_words() + REFERENCE_WORDS) * word_size();
}

static char *leaf_of(const struct shadow_slot *slot)
{
    return __atomic_load_n(&slot->leaf, __ATOMIC_ACQUIRE);
}

static uintptr_t region_of(uintptr_t address)
{
    return address >> SHADOW_REGION_SHIFT;
}

static size_t granule_of(uintptr_t address)
{
    return (address & (SHADOW_REGION - 1)) >> shadow.granule_log2;
}

static bool is_aligned(uintptr_t address)
{
    return (address & (((uintptr_t)1 << shadow.granule_log2) - 1)) == 0;
}

/* The slot that `region` has claimed, or the free one it would claim. */
static size_t probe(uintptr_t region, uint32_t *held)
{
    for (size_t i = 0; i < SHADOW_SLOTS; i++) {
        size_t at = (region + i) % SHADOW_SLOTS;

        *held = __atomic_load_n(&shadow.claims[at], __ATOMIC_ACQUIRE);
        if (*held == 0 || *held == region + 1)
            return at;
    }
    return SHADOW_SLOTS;
}

static char *find_leaf(uintptr_t address)
{
    uint32_t held;
    size_t at = probe(region_of(address), &held);

    return at == SHADOW_SLOTS || held == 0 ? NULL : leaf_of(&shadow.slots[at]);
}

/* The slot of `region`, claimed now if it had none; NULL: all are taken. */
static struct shadow_slot *claim(uintptr_t region)
{
    for (;;) {
        uint32_t held;
        size_t at = probe(region, &held);

        if (at == SHADOW_SLOTS)
            return NULL;
        if (held != 0 || __atomic_compare_exchange_n(
                             &shadow.claims[at], &held, (uint32_t)region + 1,
                             false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return &shadow.slots[at];
    }
}

static bool is_full(void)
{
    return __atomic_load_n(&shadow.leaf_count, __ATOMIC_RELAXED) ==
           SHADOW_SLOTS;
}

static char *make_leaf(uintptr_t address)
{
    uintptr_t region = region_of(address);
    char *found = find_leaf(address);
    struct shadow_slot *slot;
    char *leaf, *held = NULL;

    if (found != NULL || region >= UINT32_MAX || is_full())
        return found;
    leaf = tally_port_pages_alloc(leaf_size());
    if (leaf == NULL)
        return NULL;
    slot = claim(region);
    if (slot != NULL &&
        __atomic_compare_exchange_n(&slot->leaf, &held, leaf, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        __atomic_fetch_add(&shadow.leaf_count, 1, __ATOMIC_RELAXED);
    else
        tally_port_pages_free(leaf, leaf_size());
    if (slot == NULL)
        return NULL;
    __atomic_store_n(&slot->start, region << SHADOW_REGION_SHIFT,
                     __ATOMIC_RELEASE);
    return leaf_of(slot);
}

static void *words_in(char *leaf, uintptr_t address)
{
    if (leaf == NULL || !is_aligned(address))
        return NULL;
    return leaf + granule_of(address) * word_size();
}

static struct reference get(const void *words)
{
    if (words == NULL)
        return (struct reference){ 0, 0 };
    return shadow.is_compressed ? reference_get_compressed(words)
                                : reference_get(words);
}

bool shadow_put(const void *block, struct reference reference)
{
    void *words = words_in(make_leaf((uintptr_t)block), (uintptr_t)block);

    if (words == NULL)
        return false;
    if (shadow.is_compressed)
        reference_put_compressed(words, reference.id, reference.size);
    else
        reference_put(words, reference.id, reference.size);
    return true;
}

struct reference shadow_get(const void *block)
{
    return get(words_in(find_leaf((uintptr_t)block), (uintptr_t)block));
}

struct reference shadow_take(const void *block)
{
    void *words = words_in(find_leaf((uintptr_t)block), (uintptr_t)block);
    struct reference reference = get(words);

    if (reference.id == 0)
        return reference;
    if (shadow.is_compressed)
        reference_clear_compressed(words);
    else
        reference_clear(words);
    return reference;
}

static bool is_zero(const char *word)
{
    return shadow.is_compressed ? *(const uint16_t *)(const void *)word == 0
                                : *(const uint32_t *)(const void *)word == 0;
}

static void walk_leaf(char *leaf, struct page_map *pages,
                      void (*visit)(struct reference reference, void *context),
                      void *context)
{
    size_t words_in_page = PAGE_MAP_PAGE / word_size();

    for (size_t i = 0; i < leaf_words(); i++) {
        char *word = leaf + i * word_size();
        struct reference reference;

        if (i % words_in_page == 0 && !page_map_is_used(pages, word)) {
            i += words_in_page - 1;
            continue;
        }
        if (is_zero(word))
            continue;
        reference = get(word);
        if (reference.id == 0)
            continue;
        visit(reference, context);
        /* In compressed words a size could be taken for a reference. */
        if (shadow.is_compressed)
            i += reference.size >= REFERENCE_COMPRESSED_ESCAPE
                     ? REFERENCE_WORDS - 1
                     : 1;
    }
}

void shadow_walk(void (*visit)(struct reference reference, void *context),
                 void *context)
{
    static struct page_map pages; /* one thread walks */

    page_map_open(&pages);
    for (size_t i = 0; i < SHADOW_SLOTS; i++) {
        if (__atomic_load_n(&shadow.claims[i], __ATOMIC_RELAXED) != 0 &&
            leaf_of(&shadow.slots[i]) != NULL)
            walk_leaf(leaf_of(&shadow.slots[i]), &pages, visit, context);
    }
    page_map_close(&pages);
}

void shadow_unlock(void)
{
    pages_unlock(&shadow, sizeof shadow);
    for (size_t i = 0; i < SHADOW_SLOTS; i++) {
        if (leaf_of(&shadow.slots[i]) != NULL)
            pages_unlock(leaf_of(&shadow.slots[i]), leaf_size());
    }
}
