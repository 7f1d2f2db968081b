/* SPDX-License-Identifier: Apache-2.0 */
/* shadow.c - making leaves, and both forms of words; see shadow.h */
#include "ledger/shards/shadow.h"

#include <string.h>

#include "format/ledger/segments_layout.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/page_map.h"
#include "tally/port.h"

/* alone on its pages, for pages_advise() */
_Alignas(PAGE_MAP_PAGE) struct shadow shadow;

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

/* Return the slot that `region` has claimed, or the free slot it would
   claim. */
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

/* Return the slot of `region`, claimed now if need be; NULL: all are taken. */
static struct shadow_slot *claim(uintptr_t region)
{
    for (;;) {
        uint32_t held;
        size_t at = probe(region, &held);

        if (at == SHADOW_SLOTS)
            return NULL;
        if (held != 0 || __atomic_compare_exchange_n(
                             &shadow.claims[at], &held, (uint32_t)region + 1,
                             false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            INVARIANT(I1, shadow.claims[at] == (uint32_t)region + 1);
            return &shadow.slots[at];
        }
    }
}

static char *make_leaf(uintptr_t address)
{
    uintptr_t region = region_of(address);
    char *found = find_leaf(address);
    struct shadow_slot *slot;
    char *leaf, *held = NULL;

    if (found != NULL || region >= UINT32_MAX ||
        __atomic_load_n(&shadow.leaf_count, __ATOMIC_RELAXED) == SHADOW_SLOTS)
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
    INVARIANT(I2, leaf_of(slot) != NULL);
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
    struct reference reference = { 0, 0 };

    if (words != NULL)
        reference = shadow.is_compressed ? reference_get_compressed(words)
                                         : reference_get(words);
    /* An impossible id is the size of a block that is gone. */
    return !shadow.is_compressed || shadow.is_wide ||
                   reference.id < REFERENCE_COMPRESSED_SIZE
               ? reference
               : (struct reference){ 0, 0 };
}

/* Return the number of words of a reference. Blocks of libc have two granules
   at least, and so two words. */
static size_t words_used(size_t size)
{
    if (shadow.is_compressed)
        return size < REFERENCE_COMPRESSED_ESCAPE ? 2 : REFERENCE_WORDS;
    if (size > REFERENCE_SIZE_LIMIT)
        return 3;
    return shadow_is_of_libc() || size > REFERENCE_SMALL_LIMIT ? 2 : 1;
}

bool shadow_put(const void *block, struct reference reference)
{
    void *words = words_in(make_leaf((uintptr_t)block), (uintptr_t)block);
    uint32_t *full = words;

    if (words == NULL)
        return false;
    INVARIANT(I3, is_aligned((uintptr_t)block) && reference.id != 0);
    if (shadow.is_compressed) {
        reference_put_compressed(words, reference.id, reference.size);
    } else if (words_used(reference.size) == 2) {
        /* same layout as the hot path */
        full[1] = (uint32_t)reference.size;
        full[0] = REFERENCE_BIT | reference.id;
    } else {
        reference_put(full, reference.id, reference.size);
    }
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

    if (reference.id != 0)
        memset(words, 0, words_used(reference.size) * word_size());
    return reference;
}

/* Clear a word if it is unchanged since it was seen. */
static bool clear_word(char *word, const void *seen)
{
    uint32_t full;
    uint16_t compressed;

    if (shadow.is_compressed) {
        memcpy(&compressed, seen, sizeof compressed);
        return __atomic_compare_exchange_n((uint16_t *)(void *)word,
                                           &compressed, 0, false,
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    memcpy(&full, seen, sizeof full);
    return __atomic_compare_exchange_n((uint32_t *)(void *)word, &full, 0,
                                       false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/*
 * Take the reference at word `at` of the leaf if its words reach word `to`. A
 * wide compressed word may be a size, so it is left alone unless it is at `to`.
 */
static struct reference take_reaching(char *leaf, size_t at, size_t to)
{
    char *word = leaf + at * word_size();
    uint32_t seen[REFERENCE_WORDS];
    size_t step = word_size(), used;
    struct reference reference;

    memcpy(seen, word, REFERENCE_WORDS * step);
    reference = get(seen);
    used = words_used(reference.size);
    if (reference.id == 0 || at + used <= to ||
        (shadow.is_compressed && at != to &&
         reference.id >= REFERENCE_COMPRESSED_SIZE) ||
        !clear_word(word, seen))
        return (struct reference){ 0, 0 };
    for (size_t i = 1; i < used; i++)
        clear_word(word + i * step, (const char *)seen + i * step);
    return reference;
}

static bool is_zero(const char *word)
{
    return shadow.is_compressed ? *(const uint16_t *)(const void *)word == 0
                                : *(const uint32_t *)(const void *)word == 0;
}

struct reference shadow_take_stale(const void *block, size_t size)
{
    char *leaf = find_leaf((uintptr_t)block);
    size_t at = granule_of((uintptr_t)block);
    size_t end = at + words_used(size);
    struct reference stale = { 0, 0 };

    if (words_in(leaf, (uintptr_t)block) == NULL)
        return stale;
    for (size_t i = at < REFERENCE_WORDS ? 0 : at - REFERENCE_WORDS + 1;
         i < end && i < leaf_words() && stale.id == 0; i++) {
        if (!is_zero(leaf + i * word_size()))
            stale = take_reaching(leaf, i, at);
    }
    return stale;
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
        /* A size among compressed words could look like a reference: skip
           it. */
        if (shadow.is_compressed)
            i += words_used(reference.size) - 1;
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

_Static_assert(sizeof(void *) < 8 ||
                   (offsetof(struct shadow, claims) ==
                        offsetof(struct ledger_shadow, claims) &&
                    offsetof(struct shadow, leaf_count) ==
                        offsetof(struct ledger_shadow, leaf_count) &&
                    (int)SHADOW_REGION_SHIFT == LEDGER_SHADOW_REGION_SHIFT),
               "others read it as struct ledger_shadow");

uint64_t shadow_address(void)
{
    return sizeof(void *) < 8 ? 0 : (uint64_t)(uintptr_t)&shadow;
}

void shadow_unlock(void)
{
    pages_unlock(&shadow, sizeof shadow);
    for (size_t i = 0; i < SHADOW_SLOTS; i++) {
        if (leaf_of(&shadow.slots[i]) != NULL)
            pages_unlock(leaf_of(&shadow.slots[i]), leaf_size());
    }
}
