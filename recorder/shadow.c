/* SPDX-License-Identifier: Apache-2.0 */
/* shadow.c - making leaves, and both forms of words; see shadow.h */
#include "recorder/shadow.h"

#include "recorder/pages.h"
#include "tally/port.h"

#define LEAF_BYTES ((size_t)1 << SHADOW_LEAF_SHIFT)

struct shadow shadow;

void shadow_open(bool is_compressed, bool has_small_blocks)
{
    shadow.granule_log2 =
        has_small_blocks ? SHADOW_SMALL_GRANULE_LOG2 : SHADOW_GRANULE_LOG2;
    shadow.is_compressed = is_compressed;
}

static size_t word_size(void)
{
    return shadow.is_compressed ? sizeof(uint16_t) : sizeof(uint32_t);
}

static size_t leaf_words(void)
{
    return LEAF_BYTES >> shadow.granule_log2;
}

static size_t leaf_size(void)
{
    return (leaf_words() + REFERENCE_WORDS) * word_size();
}

static size_t granule_of(uintptr_t address)
{
    return (address & (LEAF_BYTES - 1)) >> shadow.granule_log2;
}

static bool is_aligned(uintptr_t address)
{
    return (address & (((uintptr_t)1 << shadow.granule_log2) - 1)) == 0;
}

static void *find_leaf(uintptr_t address)
{
    uintptr_t key = address >> SHADOW_LEAF_SHIFT;


    for (size_t i = 0; i < SHADOW_SLOTS; i++) {
        struct shadow_slot *slot = &shadow.slots[(key + i) % SHADOW_SLOTS];
        uintptr_t held = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);

        if (held == 0)
            return NULL;
        if (held == key)
            return __atomic_load_n(&slot->leaf, __ATOMIC_ACQUIRE);
    }
    return NULL;
}

/* The slot of `key`, taken now if nobody has it, or NULL: the table is full. */
static struct shadow_slot *claim_slot(uintptr_t key)
{
    for (size_t i = 0; i < SHADOW_SLOTS; i++) {
        struct shadow_slot *slot = &shadow.slots[(key + i) % SHADOW_SLOTS];
        uintptr_t held = 0;

        if (__atomic_compare_exchange_n(&slot->key, &held, key, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
            held == key)
            return slot;
    }
    return NULL;
}

static void *make_leaf(uintptr_t address)
{
    uintptr_t key = address >> SHADOW_LEAF_SHIFT;
    struct shadow_slot *slot;
    void *held = NULL;
    void *leaf;

    if (key == 0)
        return NULL;
    leaf = find_leaf(address);
    if (leaf != NULL)
        return leaf;
    leaf = tally_port_pages_alloc(leaf_size());
    if (leaf == NULL)
        return NULL;
    slot = claim_slot(key);
    if (slot != NULL &&
        __atomic_compare_exchange_n(&slot->leaf, &held, leaf, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return leaf;
    tally_port_pages_free(leaf, leaf_size());
    return held;
}

static void *words_in(void *leaf, uintptr_t address)
{
    if (leaf == NULL || !is_aligned(address))
        return NULL;
    return (char *)leaf + granule_of(address) * word_size();
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

static void walk_leaf(void *leaf,
                      void (*visit)(struct reference reference, void *context),
                      void *context)
{
    for (size_t i = 0; i < leaf_words(); i++) {
        struct reference reference = get((char *)leaf + i * word_size());

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
    for (size_t i = 0; i < SHADOW_SLOTS; i++) {
        void *leaf = __atomic_load_n(&shadow.slots[i].leaf, __ATOMIC_ACQUIRE);

        if (leaf != NULL)
            walk_leaf(leaf, visit, context);
    }
}

void shadow_unlock(void)
{
    pages_unlock(&shadow, sizeof shadow);
    for (size_t i = 0; i < SHADOW_SLOTS; i++) {
        if (shadow.slots[i].leaf != NULL)
            pages_unlock(shadow.slots[i].leaf, leaf_size());
    }
}
