/* SPDX-License-Identifier: Apache-2.0 */
/* modules_layout.h - modules and call stacks in the ledger */
#pragma once

#include <stdint.h>

#include "format/ledger/ledger_units.h"

enum {
    LEDGER_MODULES_PER_SEGMENT = 128,
    LEDGER_BUILD_ID_CAPACITY = 20,
    LEDGER_FRAMES_PER_SEGMENT = 4096,
    LEDGER_FRAME_SEGMENTS = 8192, /* 16 frames for each of 2^21 stacks */
};

enum ledger_module_state {
    LEDGER_MODULE_NONE = 0,
    LEDGER_MODULE_LOADED = 1,
    LEDGER_MODULE_UNLOADED = 2, /* by dlclose; its live blocks remain */
};

/*
 * A loaded ELF file, the executable included; or a pair of a label, with
 * KEY=VALUE as path: it has no addresses, and each frame in it stands for the
 * pair. Index 0 is never used.
 */
struct ledger_module {
    uint32_t state;         /* enum ledger_module_state; stored last */
    uint32_t build_id_size; /* 0: none */
    uint64_t start;         /* [start, end) contains all its segments */
    uint64_t end;
    uint64_t bias; /* run-time address minus address in the file */
    struct ledger_text path;
    uint8_t build_id[LEDGER_BUILD_ID_CAPACITY];
    uint32_t is_label; /* 1: a pair of a label; since minor version 7 */
    uint8_t reserved[128 - 72];
};

/* A call in a stack and the frame of its caller: a tree whose leaves are sites.
   Index 0 is never used; a parent's index is lower. */
struct ledger_frame {
    uint32_t parent;  /* 0: no caller, the stack is complete */
    uint32_t module;  /* index in the module table; 0: unknown */
    uint64_t address; /* return address; stored last; 0: not in use */
};

/* Parent of a truncated stack. */
#define LEDGER_FRAME_CUT UINT32_MAX

/* Address of a frame that is a pair of a label; no call returns there. */
#define LEDGER_PAIR_ADDRESS 1

_Static_assert(sizeof(struct ledger_module) == 128, "layout");
_Static_assert(sizeof(struct ledger_frame) == 16, "layout");
