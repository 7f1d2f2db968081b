/* SPDX-License-Identifier: Apache-2.0 */
/* history_reader.c - see history_reader.h */
#include "format/ledger/history_reader.h"

/* The longest number has 64 bits. */
static int read_number(struct ledger_run *run, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; shift < 64 && run->at < run->end; shift += 7) {
        unsigned char byte = *run->at++;

        if (shift == 63 && byte > 1)
            return LEDGER_E_HISTORY;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return LEDGER_E_OK;
    }
    return LEDGER_E_HISTORY;
}

int ledger_run_next(struct ledger_run *run, struct ledger_change *change)
{
    uint64_t step;

    if (run->at == run->end)
        return 0;
    if (read_number(run, &step) < 0 || step == 0 ||
        step >= LEDGER_SITE_LIMIT - run->site)
        return LEDGER_E_HISTORY;
    for (unsigned i = 0; i < LEDGER_GROWN; i++) {
        if (read_number(run, &change->grown[i]) < 0)
            return LEDGER_E_HISTORY;
    }
    run->site += (uint32_t)step;
    change->site = run->site;
    return 1;
}

/* Read the snapshots; return true if their runs lie within `size` bytes. */
static bool read_instants(const struct ledger_reader *reader, uint64_t at,
                          uint64_t size, struct ledger_history_view *history)
{
    uint64_t last_ns = 0, last_end = 0;

    for (uint32_t i = 0; i < history->count; i++) {
        struct ledger_instant *instant = &history->instants[i];

        ledger_reader_words(reader, at, instant,
                            sizeof *instant / sizeof(uint64_t));
        if (instant->ns <= last_ns || instant->end < last_end ||
            instant->end > size)
            return false;
        last_ns = instant->ns;
        last_end = instant->end;
        at += sizeof *instant;
    }
    return true;
}

int ledger_reader_history(struct ledger_reader *reader,
                          struct ledger_history_view *history)
{
    struct ledger_segment segment;
    uint64_t at, head = sizeof(struct ledger_history);
    int found =
        ledger_reader_segment(reader, LEDGER_SEGMENT_HISTORY, 0, &segment);

    if (found <= 0)
        return found;
    at = segment.offset;
    if (segment.size >= head) {
        history->count = LEDGER_GET(reader, at, ledger_history, instant_count);
        history->left_out = LEDGER_GET(reader, at, ledger_history, left_out);
        head += history->count * sizeof(struct ledger_instant);
        history->runs = reader->bytes + at + head;
        if (history->count == 0)
            return 0;
        if (history->count <= LEDGER_INSTANT_CAPACITY && head <= segment.size &&
            read_instants(reader, at + sizeof(struct ledger_history),
                          segment.size - head, history))
            return 1;
    }
    reader->error = LEDGER_E_HISTORY;
    reader->error_offset = at;
    return LEDGER_E_HISTORY;
}
