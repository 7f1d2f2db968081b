/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.c - slabs and heaps in the ledger and by address
 *
 * When an object's destructors run, it is being unloaded or the program ends;
 * only later events tell which. Its regions are marked as gone at once, and
 * remembered until an object is unloaded. If none is, the end of the program
 * restores them.
 */
#include "core/accounts/regions.h"

#include "core/base/own_memory.h"
#include "tally/port.h"

enum { SMALLEST = 128, PIECE = 16, CHUNK = TALLY_HAS(OS) ? 8192 : 0 };

void *registry_memory_take(size_t size)
{
    static struct own_memory own = OWN_MEMORY;
    static unsigned char *chunk;
    static size_t left;
    void *memory;

    if (size > SIZE_MAX - PIECE)
        return NULL;
    size = (size + PIECE - 1) & ~(size_t)(PIECE - 1);
    if (size > CHUNK / 4)
        return own_memory_alloc(&own, size);
    if (size > left) {
        memory = own_memory_alloc(&own, CHUNK);
        if (memory == NULL)
            return NULL;
        chunk = memory;
        left = CHUNK;
    }
    memory = chunk;
    chunk += size;
    left -= size;
    return memory;
}

static uintptr_t piece_of(const void *object)
{
    return (uintptr_t)object / PLACE_SPAN;
}

/* Firmware has few of them and little memory: one bucket. */
static struct tally_listed **bucket(struct place_list *list, uintptr_t piece)
{
    uint32_t hash = (uint32_t)piece * UINT32_C(0x9e3779b1);

    if (!TALLY_HAS(OS) || list->buckets == NULL)
        return &list->few;
    return &list->buckets[(hash ^ hash >> 16) & list->mask];
}

/* Find an object that begins in a piece, less than `reach` bytes before or
   after `object`. */
static struct tally_listed *find_near(const struct place_list *list,
                                      uintptr_t piece, const void *object,
                                      size_t reach)
{
    struct tally_listed *place = *bucket((struct place_list *)list, piece);

    while (place != NULL &&
           (uintptr_t)place->object - (uintptr_t)object + reach - 1 >=
               2 * reach - 1)
        place = place->other;
    return place;
}

struct tally_listed *place_find(const struct place_list *list,
                                const void *object)
{
    return find_near(list, piece_of(object), object, 1);
}

struct tally_listed *place_overlapping(const struct place_list *list,
                                       const void *object, size_t size)
{
    uintptr_t piece = piece_of(object);
    struct tally_listed *place = find_near(list, piece, object, size);

    if (place == NULL)
        place = find_near(list, piece - 1, object, size);
    return place == NULL ? find_near(list, piece + 1, object, size) : place;
}

static void chain(struct place_list *list, struct tally_listed *place)
{
    struct tally_listed **head = bucket(list, piece_of(place->object));

    place->other = *head;
    *head = place;
}

/* Double the buckets if there is memory; else chains grow longer. */
static void grow(struct place_list *list)
{
    uint32_t buckets = list->mask == 0 ? SMALLEST : 2 * (list->mask + 1);
    void *made = registry_memory_take(buckets * sizeof(struct tally_listed *));

    if (made == NULL)
        return;
    list->buckets = made;
    list->mask = buckets - 1;
    for (struct tally_listed *each = list->first; each; each = each->next)
        chain(list, each);
}

void place_enter(struct place_list *list, struct tally_listed *place,
                 void *object)
{
    if (list->last == NULL)
        list->last = &list->first;
    *place = (struct tally_listed){ .object = object, .link = list->last };
    *list->last = place;
    list->last = &place->next;
    chain(list, place);
    if (TALLY_HAS(OS) && ++list->count > list->mask + SMALLEST / 8)
        grow(list);
}

bool place_leave(struct place_list *list, struct tally_listed *place)
{
    struct tally_listed **link = bucket(list, piece_of(place->object));

    if (place->link == NULL)
        return false;
    *place->link = place->next;
    if (place->next != NULL)
        place->next->link = place->link;
    else
        list->last = place->link;
    place->link = NULL;
    list->count--;
    while (*link != place)
        link = &(*link)->other;
    *link = place->other;
    return true;
}

#if TALLY_HAS(OS)
struct ledger_region regions_undecided;

bool regions_are_open(void)
{
    if (!mem_profiling_was_opened() && engine_is_recorded())
        mem_profiling_decide();
    return mem_profiling_was_opened() && engine_has_ledger();
}

struct left_region {
    struct left_region *next;
    struct ledger_region *region;
    uint64_t address;
    uint64_t unloads; /* unloads before it left */
};

static struct left_region *left, *spare;

static void forget_unloaded(uint64_t unloads)
{
    struct left_region **link = &left;

    while (*link != NULL) {
        struct left_region *each = *link;

        if (each->unloads == unloads) {
            link = &each->next;
            continue;
        }
        *link = each->next;
        each->next = spare;
        spare = each;
    }
}

void regions_leave(struct ledger_region *region)
{
    static uint64_t last_unloads;
    uint64_t unloads = tally_port_unloads();
    struct left_region *made;

    if (region == NULL || !engine_has_ledger())
        return;
    region->is_gone = 1;
    if (unloads != last_unloads)
        forget_unloaded(unloads);
    last_unloads = unloads;
    made = spare;
    if (made != NULL)
        spare = made->next;
    else
        made = registry_memory_take(sizeof *made);
    if (made == NULL)
        return;
    *made = (struct left_region){ left, region, region->address, unloads };
    left = made;
}

/* Undo regions_leave(), unless another region took the record over. */
__attribute__((destructor)) static void end_program(void)
{
    uint32_t key = tally_port_lock();

    forget_unloaded(tally_port_unloads());
    for (struct left_region *each = left; each != NULL && engine_has_ledger();
         each = each->next) {
        if (each->region->address == each->address)
            each->region->is_gone = 0;
    }
    tally_port_unlock(key);
}
#endif

bool regions_are_unloaded(const void *address)
{
    static bool is_ending;
    char module[8];

    if (address == NULL)
        return false; /* the object has no regions */
    if (!tally_port_module_name(address, module, sizeof module))
        is_ending = true;
    return !is_ending;
}
