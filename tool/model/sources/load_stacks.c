/* SPDX-License-Identifier: Apache-2.0 */
/* load_stacks.c - modules and frames; see load_ledger_parts.h */
#include "tool/model/sources/load_ledger_parts.h"

enum {
    DEPTH_LIMIT = 65536, /* frames of a stack; deeper ones are cut, as a million
                            sites may share them */
};

void load_modules(struct ledger_load *load)
{
    load->module_limit = ledger_reader_module_limit(&load->reader);
    load->modules =
        arena_zeroed(load->arena, load->module_limit, sizeof *load->modules);
}

static int load_module(struct ledger_load *load, uint32_t index,
                       struct loaded_module *loaded)
{
    struct profile *profile = load->profile;
    struct ledger_module_view view;
    struct profile_module module = { 0 };
    int error = ledger_reader_module(&load->reader, index, &view);

    *loaded = (struct loaded_module){ .module = PROFILE_NO_MODULE,
                                      .is_looked_up = true };
    if (error <= 0)
        return error;
    if (view.is_label) {
        loaded->pair = load_text(load, view.path);
        return 0;
    }
    module.path = load_text(load, view.path);
    module.build_id_size = view.build_id_size;
    memcpy(module.build_id, view.build_id, view.build_id_size);
    module.bias = view.bias;
    module.size = view.end - view.start;
    module.start = view.start;
    module.is_executable =
        strcmp(module.path,
               profile->images[profile->image_count - 1].program) == 0;
    loaded->bias = view.bias;
    loaded->is_unloaded = view.state == LEDGER_MODULE_UNLOADED;
    loaded->module = profile_add_module(profile, &module);
    return 0;
}

int loaded_module_find(struct ledger_load *load, uint32_t index,
                       const struct loaded_module **found)
{
    struct loaded_module *module = &load->modules[index];

    *found = module;
    return module->is_looked_up ? 0 : load_module(load, index, module);
}

int loaded_module_find_at(struct ledger_load *load, uint64_t address,
                          const struct loaded_module **found)
{
    static const struct loaded_module none = { .module = PROFILE_NO_MODULE };

    *found = &none;
    for (uint32_t i = 0; i < load->module_limit; i++) {
        struct ledger_module_view view;
        int error = ledger_reader_module(&load->reader, i, &view);

        if (error < 0)
            return error;
        if (error > 0 && view.state != LEDGER_MODULE_UNLOADED &&
            address >= view.start && address < view.end)
            return loaded_module_find(load, i, found);
    }
    return 0;
}

struct loaded_frame loaded_frame_find(const struct ledger_load *load,
                                      uint32_t number)
{
    static const struct loaded_frame whole = { STACK_WHOLE, 0 };
    static const struct loaded_frame cut = { STACK_CUT, 0 };

    if (number == 0)
        return whole;
    return number < load->frame_limit && load->frames[number].depth != 0
               ? load->frames[number]
               : cut;
}

static int load_frame(struct ledger_load *load, uint32_t number,
                      const struct ledger_frame_view *view)
{
    struct stacks *stacks = &load->profile->stacks;
    struct loaded_frame parent = loaded_frame_find(load, view->parent);
    struct profile_frame frame;
    const struct loaded_module *module;
    struct profile_place place;
    int error = loaded_module_find(load, view->module, &module);

    if (error < 0)
        return error;
    if (parent.depth >= DEPTH_LIMIT)
        parent = loaded_frame_find(load, UINT32_MAX);
    frame.parent = parent.frame;
    if (module->pair != NULL)
        place = profile_place_of_pair(load->profile, module->pair);
    else
        place = (struct profile_place){ view->address - module->bias,
                                        module->module };
    frame.place = stacks_add_place(stacks, &place);
    load->frames[number] =
        (struct loaded_frame){ stacks_add_frame(stacks, &frame),
                               parent.depth + 1 };
    return 0;
}

/* Load frames by number: parents have lower ones. */
int load_frames(struct ledger_load *load)
{
    uint32_t limit = ledger_reader_frame_limit(&load->reader);
    struct stacks *stacks = &load->profile->stacks;
    struct ledger_frame_view view;
    uint32_t number = 0;
    int found;

    load->frame_limit = limit;
    load->frames =
        arena_zeroed(load->arena, (size_t)limit + 1, sizeof *load->frames);
    INDEX_EXPECT(&stacks->frame_table, INDEX_KEY(struct profile_frame, parent),
                 stacks->frames, limit);
    while ((found = ledger_reader_next_frame(&load->reader, limit, &number,
                                             &view)) > 0) {
        int error = load_frame(load, number, &view);

        if (error < 0)
            return error;
    }
    return found;
}
