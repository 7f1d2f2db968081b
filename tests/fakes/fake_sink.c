/* SPDX-License-Identifier: Apache-2.0 */
/* fake_sink.c - a sink that stores packets, and refuses on command */
#include "tests/fakes/fake_sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_sink *fake_sink_create(void)
{
    struct fake_sink *sink = calloc(1, sizeof *sink);

    if (sink == NULL) {
        fprintf(stderr, "fake_sink: no memory\n");
        abort();
    }
    return sink;
}

void fake_sink_destroy(struct fake_sink *sink)
{
    free(sink);
}

static bool take(void *context, const void *bytes, size_t size)
{
    struct fake_sink *sink = context;

    if (sink->is_closed || size > sizeof sink->bytes - sink->size) {
        sink->refused++;
        return false;
    }
    memcpy(sink->bytes + sink->size, bytes, size);
    sink->size += size;
    sink->calls++;
    return true;
}

struct tally_zpl_sink fake_sink(struct fake_sink *sink)
{
    return (struct tally_zpl_sink){ take, sink };
}
