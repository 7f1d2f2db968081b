/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ring_reader.c - any bytes, as rings of a program, drained or of a black
 * box
 *
 * An input is the head of each of four rings, as an i32 that is extended to 64
 * bits, and their first and last words; an odd number of bytes means a black
 * box. Each ring is read to its head, and then to another one. Besides not
 * crashing:
 *
 *   R1  all records are read once the program has ended, and no more than exist
 *   R2  an event is one of those in the rings
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/bytes.h"
#include "tool/session/events/events.h"

#undef NDEBUG
#include <assert.h>

enum { RINGS = 4, HEAD = 4 * RINGS, FURTHER = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_event(void *context, const struct mem_trace_event *event)
{
    (void)context;
    assert(event->op <= MEM_TRACE_FRAME && event->op != EVENTS_RING_THREAD &&
           event->op != EVENTS_RING_END);
}

static struct events_area *create_area(int *fd)
{
    struct events_area *area;

    *fd = memfd_create("area", MFD_CLOEXEC);
    assert(*fd >= 0 && ftruncate(*fd, (off_t)SESSION_EXTENT_SIZE) == 0);
    area = mmap(NULL, EVENTS_AREA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, *fd,
                (off_t)EVENTS_AREA_OFFSET);
    assert(area != MAP_FAILED);
    area->magic = EVENTS_AREA_MAGIC;
    return area;
}

/* Fill the area as a program would. */
static void fill(struct events_area *area, const uint8_t *data, size_t size,
                 bool is_blackbox)
{
    size_t share = (size - HEAD) / RINGS;
    size_t bytes = EVENTS_RING_BYTES;

    if (share > bytes)
        share = bytes;
    area->is_blackbox = is_blackbox;
    area->ring_count = RINGS;
    area->clock = EVENTS_CLOCK_NANOSECONDS;
    for (size_t i = 0; i < RINGS; i++) {
        char *ring = (char *)area + EVENTS_AREA_HEAD + i * bytes;

        memcpy(ring, data + HEAD + i * share, share);
        memcpy(ring + bytes - share, data + HEAD + i * share, share);
        area->rings[i] = (struct events_ring){
            .head = (uint64_t)(int32_t)read_u32le(data + 4 * i),
            .busy = data[4 * i] & 1
        };
    }
}

static uint64_t take_all(struct ring_reader *reader,
                         const struct tick_scale *scale)
{
    uint64_t taken =
        ring_reader_take(reader, scale, true, UINT64_MAX, take_event, NULL);

    for (uint32_t i = 0; i < reader->ring_count; i++)
        assert(reader->places[i].tail == reader->places[i].head);
    return taken;
}

static void read_all(const uint8_t *data, size_t size, bool is_blackbox)
{
    static struct events_area *area; /* static: it is large */
    static int fd;
    struct ring_reader reader;
    struct tick_scale scale;
    uint64_t taken;

    if (area == NULL)
        area = create_area(&fd);
    fill(area, data, size, is_blackbox);
    assert(ring_reader_open(&reader, fd, 0));
    tick_scale_begin(&scale, EVENTS_CLOCK_NANOSECONDS);
    tick_scale_update(&scale);
    taken = ring_reader_take(&reader, &scale, false, 5, take_event, NULL);
    taken += take_all(&reader, &scale);
    assert(taken <= (uint64_t)RINGS * EVENTS_RING_WORDS);
    for (size_t i = 0; i < RINGS; i++)
        area->rings[i].head += FURTHER;
    assert(take_all(&reader, &scale) <= (uint64_t)RINGS * FURTHER);
    ring_reader_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    read_all(data, size, size % 2 != 0);
    return 0;
}
