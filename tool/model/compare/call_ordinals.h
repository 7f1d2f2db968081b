/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_ordinals.h - the calls of a matching, and which of them are the same
 *
 * Private to call_matching.c.
 */
#ifndef TALLY_TOOL_MODEL_CALL_ORDINALS_H
#define TALLY_TOOL_MODEL_CALL_ORDINALS_H

#include <stdint.h>

#include "tool/model/compare/call_matching.h"

/* The texts of a call, by number; UINT32_MAX for none. */
struct call_group {
    uint32_t function;
    uint32_t module;
    uint32_t callee;
};

struct known_call {
    uint32_t side;
    uint32_t place; /* or, of a site with a label, its number and... */
    uint32_t is_site;
    uint32_t element;
    uint32_t group;
    uint32_t id;
    uint32_t module;  /* of the profile, or PROFILE_NO_MODULE */
    uint64_t address; /* or line, where there is none */
};

/* Number all calls that were collected. 0, or -1 without memory. */
int call_ordinals_give(struct call_matching *matching);

#endif /* TALLY_TOOL_MODEL_CALL_ORDINALS_H */
