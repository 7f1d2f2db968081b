/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.c - see labels.h
 *
 * Labels are entered in a table without locks, and never leave it: a thread
 * that loses a race to enter one wastes a number. The result for a pair of
 * pointers is remembered, and is valid if the texts and labels in the table
 * agree.
 */
#include "recorder/stacks/labels.h"

#include <string.h>
#include <sys/mman.h>

#include "format/invariant.h"
#include "format/ledger/segments_layout.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ledger/space/process.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "recorder/stacks/stack_cache.h"
#include "tally/label.h"
#include "tally/port.h"

enum {
    LABELS = 1024,
    LABELS_GIVEN = 1000, /* the rest is reserved for `other` */
    SLOTS = 2 * LABELS,
    KNOWN_LOG2 = 10,
    KEY = 32, /* bytes, with a NUL; compared in words of 8 */
    VALUE = 72,
    NUMBER_SHIFT = 48, /* above any address */
};

#define ADDRESS ((UINT64_C(1) << NUMBER_SHIFT) - 1)

/* a text: words of 8 bytes, and the bits of the last one, up to its NUL */
struct kept_text {
    uint64_t mask;
    uint32_t words; /* before the last */
};

struct label {
    uint16_t number, parent; /* 0: none */
    uint16_t same_key;       /* first label with this key; 0: unknown */
    uint32_t module;         /* in the ledger, like both frames; 0: not yet */
    uint32_t frames[2];      /* for whole stacks, and for truncated ones */
    struct kept_text key_size, value_size;
    char key[KEY], value[VALUE];
};

static struct {
    struct label *labels; /* NULL: not open */
    uint32_t is_refused;
    uint32_t count; /* last number in use */
    uint16_t slots[SLOTS];
    /* latest result for each hash of pointers */
    struct label *known[1 << KNOWN_LOG2];
} labels;

uint32_t labels_are_used;

/*
 * Map a page for the word of the first thread. Inputs must lie near the stack
 * (stack_cache.h); so do the thread-local words of all other threads. Return
 * NULL if there is none: stacks of this thread are then walked each time.
 */
static NOINLINE uint64_t *map_near_stack(void)
{
    static const intptr_t distances[] = { 64 << 20, 1 << 30, -(1 << 30) };
    uintptr_t end = (uintptr_t)__libc_stack_end & ~(uintptr_t)(LEDGER_PAGE - 1);

    if (sandbox_is_closed() || raw_gettid() != raw_getpid())
        return NULL;
    for (unsigned i = 0; i < sizeof distances / sizeof *distances; i++) {
        uintptr_t wanted = end + (uintptr_t)distances[i];
        long at = raw_mmap((void *)wanted, LEDGER_PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if ((uintptr_t)at == wanted)
            return (uint64_t *)wanted;
        if (at > 0)
            raw_munmap((void *)at, LEDGER_PAGE);
    }
    return NULL;
}

static inline uint64_t *word_if_any(void)
{
    return (uint64_t *)(uintptr_t)(recorder_thread.label & ADDRESS);
}

/* Choose the thread's word. A signal handler may choose first; its choice
   stays. */
static NOINLINE uint64_t *choose_word(void)
{
    uint64_t *near, chosen = 0;

    if (__atomic_exchange_n(&labels_are_used, 1, __ATOMIC_SEQ_CST) == 0) {
        __atomic_fetch_add(&modules_unloaded, 1, __ATOMIC_SEQ_CST);
        process_drop_stacks();
    }
    near = map_near_stack();
    if (near != NULL)
        *near = (uintptr_t)near;
    else
        near = &recorder_thread.label;
    __atomic_compare_exchange_n(&recorder_thread.label, &chosen,
                                (uintptr_t)near, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return word_if_any();
}

static inline uint64_t *own_word(void)
{
    return LIKELY(recorder_thread.label != 0) ? word_if_any() : choose_word();
}

static inline uint32_t number_in(uint64_t word)
{
    return (uint32_t)(word >> NUMBER_SHIFT);
}

static inline uint32_t put_number(uint64_t *word, uint32_t label)
{
    uint32_t before = number_in(*word);

    *word = (uintptr_t)word | (uint64_t)label << NUMBER_SHIFT;
    INVARIANT(L1, (*word & ADDRESS) == (uintptr_t)word);
    return before;
}

void labels_open(void)
{
    if (labels.labels == NULL)
        labels.labels = tally_port_pages_alloc(LABELS * sizeof *labels.labels);
}

void labels_unlock(void)
{
    pages_unlock(labels.labels, LABELS * sizeof *labels.labels);
}

const uint64_t *labels_word(void)
{
    return __atomic_load_n(&labels_are_used, __ATOMIC_ACQUIRE) == 0
               ? &stack_cache_unlabelled
               : own_word();
}

static uint32_t write_pair(const struct label *label)
{
    struct ledger_module record = { .state = LEDGER_MODULE_UNLOADED,
                                    .is_label = 1 };
    char text[sizeof label->key + sizeof label->value];
    size_t length = strlen(label->key);

    memcpy(text, label->key, length);
    text[length++] = '=';
    memcpy(text + length, label->value, sizeof label->value);
    record.path = ledger_write_text(text, length + strlen(label->value));
    return ledger_write_module(&record);
}

uint32_t labels_root(uint64_t word, bool is_cut)
{
    struct label *label = &labels.labels[number_in(word)];
    uint32_t parent = is_cut ? LEDGER_FRAME_CUT : 0, frame;

    if (label == labels.labels)
        return parent;
    frame = __atomic_load_n(&label->frames[is_cut], __ATOMIC_RELAXED);
    if (frame != 0)
        return frame;
    parent = labels_root((uint64_t)label->parent << NUMBER_SHIFT, is_cut);
    if (label->module == 0)
        label->module = write_pair(label);
    if (label->module != 0)
        frame = ledger_write_frame(parent, LEDGER_PAIR_ADDRESS, label->module);
    __atomic_store_n(&label->frames[is_cut], frame, __ATOMIC_RELAXED);
    return frame == 0 ? parent : frame;
}

/* Read a word of text; bytes behind its end may be read within its page. */
static inline __attribute__((no_sanitize("address", "thread"))) uint64_t
word_at(const char *text)
{
    uint64_t word;

    __builtin_memcpy(&word, text, sizeof word);
    return word;
}

/* Return true if a text surely equals the stored one; false for NULL. */
static inline bool is_same(const char *kept, struct kept_text size,
                           const char *text)
{
    if (UNLIKELY((((uintptr_t)text - 1) & (LEDGER_PAGE - 1)) >=
                 LEDGER_PAGE - VALUE))
        return false;
    for (; UNLIKELY(size.words != 0); size.words--, kept += 8, text += 8) {
        if (word_at(text) != word_at(kept))
            return false;
    }
    return ((word_at(text) ^ word_at(kept)) & size.mask) == 0;
}

/* Return true if the label has this key; for a truncated key the stored part
   counts. */
static bool has_key(const struct label *label, const char *key)
{
    return strncmp(label->key, key, KEY - 1) == 0;
}

static struct kept_text keep(char *kept, const char *text, size_t room)
{
    size_t length = strnlen(text, room - 1), last;

    memcpy(kept, text, length);
    last = length < room - 1 ? length : length - 1;
    return (struct kept_text){ UINT64_MAX >> (56 - last % 8 * 8),
                               (uint32_t)(last / 8) };
}

static uint32_t make(uint32_t parent, const char *key, const char *value,
                     uint32_t limit)
{
    uint32_t number = __atomic_load_n(&labels.count, __ATOMIC_RELAXED);
    uint32_t same = 0;
    struct label *label;

    while (number < limit && !__atomic_compare_exchange_n(
                                 &labels.count, &number, number + 1, false,
                                 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
    if (number >= limit)
        return 0;
    label = &labels.labels[++number];
    label->number = (uint16_t)number;
    label->parent = (uint16_t)parent;
    label->key_size = keep(label->key, key, KEY);
    label->value_size = keep(label->value, value, VALUE);
    while (++same < number && (__atomic_load_n(&labels.labels[same].same_key,
                                               __ATOMIC_ACQUIRE) == 0 ||
                               !has_key(&labels.labels[same], key)))
        ;
    __atomic_store_n(&label->same_key, (uint16_t)same, __ATOMIC_RELEASE);
    return number;
}

static uint64_t hash_text(uint64_t hash, const char *text, size_t room)
{
    for (size_t i = 0; i < room - 1 && text[i] != '\0'; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash * UINT64_C(0x9e3779b97f4a7c15);
}

/* Return a label with one more pair, new or known; 0: the limit is reached. */
static uint32_t find(uint32_t parent, const char *key, const char *value,
                     uint32_t limit)
{
    uint64_t hash = hash_text(hash_text(parent + 1, key, KEY), value, VALUE);
    uint32_t slot = (uint32_t)(hash >> 32), made = 0;

    for (;; slot++) {
        uint16_t *at = &labels.slots[slot % SLOTS];
        uint16_t found = __atomic_load_n(at, __ATOMIC_ACQUIRE);

        if (found == 0) {
            made = made == 0 ? make(parent, key, value, limit) : made;
            if (made == 0 ||
                __atomic_compare_exchange_n(at, &found, (uint16_t)made, false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
                return made;
        }
        if (labels.labels[found].parent == parent &&
            has_key(&labels.labels[found], key) &&
            strncmp(labels.labels[found].value, value, VALUE - 1) == 0)
            return found;
    }
}

static uint32_t add(uint32_t parent, const char *key, const char *value)
{
    static const char other[VALUE] = "other";
    uint32_t made = 0;
    unsigned depth = 0;

    for (uint32_t at = parent; at != 0; at = labels.labels[at].parent)
        depth++;
    if (depth < LABELS_DEPTH)
        made = find(parent, key, value, LABELS_GIVEN);
    if (made != 0)
        return made;
    process_count(LEDGER_COUNT_lost_labels, 1);
    if (depth < LABELS_DEPTH)
        made = find(parent, key, other, LABELS - 1);
    return made == 0 ? parent : made;
}

/* Replace pair `old` in place, so that the others keep their order. */
static uint32_t replace(uint32_t label, uint32_t old, const char *key,
                        const char *value)
{
    const struct label *at = &labels.labels[label];

    if (label != old)
        return add(replace(at->parent, old, key, value), at->key, at->value);
    return value == NULL ? at->parent : add(at->parent, key, value);
}

static NOINLINE uint32_t change(uint32_t before, const char *key,
                                const char *value)
{
    uint32_t old = before;

    while (old != 0 && !has_key(&labels.labels[old], key))
        old = labels.labels[old].parent;
    if (old != 0)
        return replace(before, old, key, value);
    return value == NULL ? before : add(before, key, value);
}

static NOINLINE uint32_t refuse(void)
{
    if (process.header != NULL &&
        __atomic_exchange_n(&labels.is_refused, 1, __ATOMIC_RELAXED) == 0)
        ledger_write_notice(LEDGER_NOTICE_labels_refused, "");
    return 0;
}

static inline uint32_t current(void)
{
    return recorder_thread.label == 0 ? 0 : number_in(*word_if_any());
}

/* Return true if setting this label's pair in the state `before` yields this
   label: `before` is itself, its parent, or a sibling with the same key. */
static inline bool leads_to(const struct label *label, size_t before)
{
    const struct label *old = &labels.labels[before];

    return before == label->number || before == label->parent ||
           (old->parent == label->parent && old->same_key == label->same_key);
}

static NOINLINE uint32_t set_slowly(const char *key, const char *value,
                                    struct label **known)
{
    uint32_t number;

    if (labels.labels == NULL)
        return refuse();
    if (key == NULL || key[0] == '\0')
        return current();
    number = change(current(), key, value);
    if (number != 0)
        __atomic_store_n(known, &labels.labels[number], __ATOMIC_RELEASE);
    return put_number(own_word(), number);
}

/* Fast path: the same pointers led to a label that surely matches. */
PROTECTED uint32_t tally_label_set(const char *key, const char *value)
{
    uint32_t hash = (uint32_t)((uintptr_t)key + (uintptr_t)value) * 0x9e3779b1;
    struct label **known = &labels.known[hash >> (32 - KNOWN_LOG2)];
    const struct label *label = __atomic_load_n(known, __ATOMIC_ACQUIRE);

    if (UNLIKELY(label == NULL || recorder_thread.label == 0 ||
                 !is_same(label->key, label->key_size, key) ||
                 !is_same(label->value, label->value_size, value) ||
                 !leads_to(label, current())))
        return set_slowly(key, value, known);
    return put_number(word_if_any(), label->number);
}

PROTECTED uint32_t tally_label_use(uint32_t label)
{
    if (UNLIKELY(labels.labels == NULL))
        return 0;
    if (UNLIKELY(label > __atomic_load_n(&labels.count, __ATOMIC_RELAXED)))
        label = 0;
    return put_number(own_word(), label);
}

PROTECTED uint32_t tally_label_get(void)
{
    return current();
}
