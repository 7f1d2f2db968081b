/* SPDX-License-Identifier: Apache-2.0 */
/* given_names.c - see profile_parts.h */
#include "tool/model/profile/profile_parts.h"

enum { KEY = INDEX_KEY(struct given_place, module) };

static const char *kept(struct given_names *names, const char *text)
{
    return text_pool_keep(&names->texts,
                          text != NULL && *text != '\0' ? text : NULL);
}

void given_names_add(struct given_names *names, uint32_t module,
                     uint64_t address, const struct symbol *chain, size_t count)
{
    struct given_place place = { .address = address, .module = module };
    size_t known = names->count;
    uint32_t number =
        INDEX_ADD(&names->table, KEY, names->places, names->count, &place);

    if (number != known || count == 0)
        return;
    place.count = count;
    place.chain = arena_zeroed(names->table.arena, count, sizeof *chain);
    for (size_t i = 0; i < count; i++)
        place.chain[i] =
            (struct symbol){ .function = kept(names, chain[i].function),
                             .file = kept(names, chain[i].file),
                             .line = chain[i].line };
    names->places[number] = place;
}

const struct given_place *given_names_find(const struct given_names *names,
                                           uint32_t module, uint64_t address)
{
    const struct given_place place = { .address = address, .module = module };
    uint32_t number = index_table_find(&names->table, KEY, names->places,
                                       sizeof place, &place);

    return number == INDEX_NONE || names->places[number].count == 0
               ? NULL
               : &names->places[number];
}
