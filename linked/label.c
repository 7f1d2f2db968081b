/* SPDX-License-Identifier: Apache-2.0 */
/* label.c - labels belong to the recorder; without it they do nothing */
#include "tally/label.h"

#include "linked/engine.h"

uint32_t tally_label_set(const char *key, const char *value)
{
    return engine_of_recorder == NULL
               ? 0
               : engine_of_recorder->set_label(key, value);
}

uint32_t tally_label_use(uint32_t label)
{
    return engine_of_recorder == NULL ? 0
                                      : engine_of_recorder->use_label(label);
}

uint32_t tally_label_get(void)
{
    return engine_of_recorder == NULL ? 0 : engine_of_recorder->get_label();
}
