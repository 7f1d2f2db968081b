/* SPDX-License-Identifier: Apache-2.0 */
/* fake_sink.h - a sink that stores packets, and refuses on command */
#pragma once

#include "tally/zpl_sink.h"

enum { FAKE_SINK_CAPACITY = 1 << 20 };

struct fake_sink {
    size_t calls;   /* packets accepted */
    size_t refused; /* packets refused */
    size_t size;    /* bytes accepted */
    bool is_closed; /* refuse from now on */
    unsigned char bytes[FAKE_SINK_CAPACITY];
};

struct fake_sink *fake_sink_create(void);
void fake_sink_destroy(struct fake_sink *sink);
struct tally_zpl_sink fake_sink(struct fake_sink *sink);
