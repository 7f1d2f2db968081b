/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zephyr_events.c - events of Zephyr's and Zephelin's own tracing
 *
 * The events are TSDL files in this folder; the build makes their tables.
 */
#include "format/ctf/ctf_input.h"

size_t zephyr_metadata_write(char *out, size_t capacity,
                             const struct ctf_layout *layout)
{
    struct text_out text = { out, capacity, 0 };

    text_put(&text, zephyr_tsdl);
    text_put(&text, layout->version == 1 ? layout_1_tsdl : layout_2_tsdl);
    if (layout->version == 4)
        text_put(&text, layout_4_tsdl);
    if (layout->version == 3 || layout->version == 5)
        text_put(&text, layout_5_tsdl);
    if (layout->version == 3)
        text_put(&text, layout_3_tsdl);
    return text.length;
}
