/* SPDX-License-Identifier: Apache-2.0 */
/* image_table.c - who has which ledger; see image_table.h */
#include "tool/session/image_table.h"

#include <stdlib.h>

#include "tool/session/ledger_snapshot.h"
#include "tool/session/process_state.h"

/* No Linux gives a greater pid; the table is memory only where it is used. */
enum { PID_LIMIT = 1 << 22 };

static bool make_room(struct image_table *table, uint32_t count)
{
    uint32_t capacity = table->capacity == 0 ? 16 : table->capacity;
    struct image *images;

    if (count <= table->capacity)
        return true;
    while (capacity < count)
        capacity *= 2;
    images = realloc(table->images, capacity * sizeof *images);
    if (images == NULL)
        return false;
    table->images = images;
    table->capacity = capacity;
    return true;
}

/*
 * A process has one image after the other, so the numbers of one pid are opened
 * in order, and the latest knows how many there were.
 */
static void open_image(struct image_table *table, uint32_t number,
                       const struct session_file *session)
{
    struct image *image = &table->images[number];
    struct ledger_header header;
    uint32_t latest;

    if (ledger_header_read(session->fd, session_extent_offset(number),
                           &header) < 0 ||
        header.pid >= PID_LIMIT)
        return; /* not open yet, or never */
    latest = table->latest[header.pid];
    image->pid = (pid_t)header.pid;
    image->start_ticks = header.start_ticks;
    image->generation =
        latest == 0 ? 0 : table->images[latest - 1].generation + 1;
    image->is_open = true;
    table->latest[header.pid] = number + 1;
}

bool image_table_refresh(struct image_table *table,
                         const struct session_file *session)
{
    uint32_t count = session_file_ledger_count(session);

    if (table->latest == NULL)
        table->latest = calloc(PID_LIMIT, sizeof *table->latest);
    if (table->latest == NULL || !make_room(table, count))
        return false;
    for (; table->count < count; table->count++)
        table->images[table->count] = (struct image){ 0 };
    for (uint32_t i = 0; i < count; i++) {
        if (!table->images[i].is_open)
            open_image(table, i, session);
    }
    return true;
}

void image_table_free(struct image_table *table)
{
    free(table->images);
    free(table->latest);
    *table = (struct image_table){ 0 };
}

long image_table_find_first(const struct image_table *table, pid_t pid)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->images[i].is_open && table->images[i].pid == pid)
            return (long)i;
    }
    return -1;
}

bool image_has_ended(const struct image_table *table, uint32_t number)
{
    const struct image *image = &table->images[number];

    if (table->latest[image->pid] != number + 1)
        return true;
    return !process_is_alive(image->pid, image->start_ticks);
}
