/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json_frames.h - the calls of each row of a report for scripts
 *
 * Each row has a "stack". It is an array of frames; or, where each frame is
 * written only once, of their numbers in the array "frame_table", from 0. A
 * frame is in many stacks: the second form takes a small part of the room.
 */
#ifndef TALLY_TOOL_COMMANDS_REPORT_JSON_FRAMES_H
#define TALLY_TOOL_COMMANDS_REPORT_JSON_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "tool/commands/report/report.h"
#include "tool/render/json.h"

struct report_json_frames {
    const struct report *report;
    uint32_t *numbers;     /* private: of each place, its innermost frame's;
                              NULL: frames are written out */
    uint32_t place_frames; /* private: frames of all places */
};

/* 0, or -1 without memory. The report says which form. */
int report_json_frames_open(struct report_json_frames *frames,
                            const struct report *report);
void report_json_frames_close(struct report_json_frames *frames);

/* "stack" of a site alone, and of a stack. */
void report_json_frames_write_site(const struct report_json_frames *frames,
                                   struct json *json, size_t site);
void report_json_frames_write_stack(const struct report_json_frames *frames,
                                    struct json *json,
                                    const struct profile_stack *stack);

/* "frame_table", where there is one. */
void report_json_frames_write_table(const struct report_json_frames *frames,
                                    struct json *json);

#endif /* TALLY_TOOL_COMMANDS_REPORT_JSON_FRAMES_H */
