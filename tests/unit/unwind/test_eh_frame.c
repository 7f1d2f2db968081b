/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_eh_frame.c - a small image by hand: found, not found, and damaged
 *
 * The image lies between two inaccessible pages, so that a read outside is
 * caught at once.
 */
#include "unwind/cfi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum {
    PAGE = 4096,
    FDES = 3,
    HEADER = 12 + 8 * FDES,                       /* then the CIE */
    CIE_SIZE = 4 + 4 + 1 + 4 + 1 + 1 + 1 + 2 + 6, /* version, "zRB", ... */
    FDE_SIZE = 4 + 4 + 4 + 4 + 1 + 3,
    CIE = HEADER,
    FDE = CIE + CIE_SIZE,
    SIZE = FDE + FDES * FDE_SIZE,
    CODE = 0x10000, /* functions of 16 bytes, 32 apart, from the image */
};

static uint8_t *pages; /* one accessible page between two inaccessible ones */
static uint8_t *image;
static struct eh_frame_file file;

static void put(size_t at, int32_t value)
{
    memcpy(image + at, &value, sizeof value);
}

static void put_fde(int number)
{
    int at = FDE + number * FDE_SIZE;
    int code = CODE + 32 * number;

    put((size_t)(12 + 8 * number), code);
    put((size_t)(16 + 8 * number), at);
    put((size_t)at, FDE_SIZE - 4);
    put((size_t)at + 4, at + 4 - CIE);
    put((size_t)at + 8, code - (at + 8));
    put((size_t)at + 12, 16);
    memcpy(image + at + 16, "\0\x41\x0e\x10", 4);
}

/* Build the image `from` bytes into the page, its header first. */
static void build_at(size_t from)
{
    memset(pages + PAGE, 0, PAGE);
    image = pages + PAGE + from;
    memcpy(image, "\1\x1b\x03\x3b", 4);
    put(4, CIE - 4);
    put(8, FDES);
    put(CIE, CIE_SIZE - 4);
    memcpy(image + CIE + 8, "\1zRB\0\1\x78\x10\1\x1b\x0c\7\10\x90\1\0", 16);
    for (int i = 0; i < FDES; i++)
        put_fde(i);
    file = (struct eh_frame_file){ .start = (uintptr_t)image,
                                   .end = (uintptr_t)image + SIZE,
                                   .header = (uintptr_t)image,
                                   .frames_start = (uintptr_t)image,
                                   .frames_end = (uintptr_t)image + SIZE };
}

static int build(void **state)
{
    (void)state;
    build_at(PAGE - SIZE);
    return 0;
}

static int map_pages(void **state)
{
    (void)state;
    pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
}

static bool find(uintptr_t from_image, struct cfi_entry *entry)
{
    entry->common = 0; /* each image has others */
    return eh_frame_open(&file) != 0 &&
           eh_frame_find(&file, (uintptr_t)image + from_image, entry);
}

static void each_function_is_found(void **state)
{
    (void)state;
    for (uintptr_t i = 0; i < FDES; i++) {
        uintptr_t start = CODE + 32 * i;
        struct cfi_entry entry;

        assert_true(find(start, &entry));
        assert_true(find(start + 15, &entry));
        assert_int_equal(entry.start, (uintptr_t)image + start);
        assert_int_equal(entry.end, (uintptr_t)image + start + 16);
        assert_int_equal(entry.code_align, 1);
        assert_int_equal(entry.data_align, -8);
        assert_int_equal(entry.encoding, DW_EH_PE_pcrel | DW_EH_PE_sdata4);
        assert_false(entry.is_signal);
        assert_memory_equal(entry.initial.at, "\x0c\7\10\x90\1", 5);
        assert_int_equal(cfi_left(&entry.own), 3);
        assert_memory_equal(entry.own.at, "\x41\x0e\x10", 3);
    }
}

/* All but the instructions of the FDE; and only until it is forgotten. */
static void a_cie_is_read_once(void **state)
{
    struct cfi_entry entry, next;

    (void)state;
    assert_true(find(CODE, &entry));
    assert_int_equal(entry.common, (uintptr_t)image + CIE);
    next = entry;
    put(CIE + 4, 1);
    assert_true(eh_frame_find(&file, (uintptr_t)image + CODE + 32, &next));
    assert_int_equal(next.start, entry.start + 32);
    assert_int_equal(next.data_align, -8);
    assert_memory_equal(&next.initial, &entry.initial, sizeof next.initial);
    assert_false(find(CODE, &next));
    assert_int_equal(next.common, 0);
}

static void between_functions_there_is_none(void **state)
{
    struct cfi_entry entry;

    (void)state;
    assert_false(find(CODE - 1, &entry));
    assert_false(find(CODE + 16, &entry));
    assert_false(find(CODE + 31, &entry));
    assert_false(find(CODE + 32 * FDES, &entry));
    assert_false(eh_frame_find(&file, 0, &entry));
    assert_false(eh_frame_find(&file, UINTPTR_MAX, &entry));
}

static void a_file_without_a_header_has_none(void **state)
{
    struct cfi_entry entry;

    (void)state;
    file.header = 0;
    assert_false(find(CODE, &entry));
}

static void a_signal_frame_says_so(void **state)
{
    struct cfi_entry entry;

    (void)state;
    image[CIE + 11] = 'S';
    assert_true(find(CODE, &entry));
    assert_true(entry.is_signal);
}

static void what_is_not_understood_is_not_used(void **state)
{
    static const struct {
        size_t at;
        uint8_t byte;
    } changes[] = {
        { 0, 2 },    /* the header's version */
        { 1, 0xff }, /* its encodings */
        { 2, 0xff },        { 3, 0x33 }, { CIE + 8, 4 }, /* the CIE's version */
        { CIE + 9, 'e' },                                /* "eh" */
        { CIE + 11, 'x' },                               /* a letter */
        { CIE + 15, 15 },   /* the return address is elsewhere */
        { CIE + 17, 0x9b }, /* indirect pointers */
        { CIE + 17, 0x0d },
    };

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct cfi_entry entry;

        build(NULL);
        assert_true(find(CODE, &entry));
        image[changes[i].at] = changes[i].byte;
        assert_false(find(CODE, &entry));
    }
}

static void damaged_lengths_are_refused(void **state)
{
    static const struct {
        size_t at;
        int32_t value;
    } changes[] = {
        { 8, FDES + 100 }, /* rows */
        { 8, 0 },
        { FDE, 0 },
        { FDE, -1 },
        { FDE, SIZE },
        { FDE + 4, 0 },  /* an FDE is not its own CIE */
        { FDE + 4, -8 }, /* nor another one */
        { FDE + 4, 1 << 20 },
        { FDE + 12, 0 }, /* no code */
        { CIE, 0 },
        { CIE + 4, 1 },
        { 16, SIZE },
        { 16, -16 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct cfi_entry entry;

        build(NULL);
        put(changes[i].at, changes[i].value);
        assert_false(find(CODE, &entry));
    }
}

static bool is_inside(const struct cfi_bytes *bytes)
{
    return bytes->at <= bytes->end && (uintptr_t)bytes->at >= file.start &&
           (uintptr_t)bytes->end <= file.end;
}

static void require_inside(uintptr_t from_image)
{
    struct cfi_entry entry;

    if (!find(from_image, &entry))
        return;
    assert_true(is_inside(&entry.initial));
    assert_true(is_inside(&entry.own));
}

/* At either end of the page. */
static void damage_never_reads_outside(void **state)
{
    (void)state;
    for (size_t at = 0; at < SIZE; at++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            build_at(byte % 2 == 0 ? 0 : PAGE - SIZE);
            image[at] = (uint8_t)byte;
            for (uintptr_t i = 0; i < FDES; i++)
                require_inside(CODE + 32 * i);
        }
    }
}

static void a_file_cut_off_is_not_read_beyond(void **state)
{
    (void)state;
    for (size_t size = 0; size < SIZE; size++) {
        build(NULL);
        file.end = file.frames_end = file.start + size;
        for (uintptr_t i = 0; i < FDES; i++)
            require_inside(CODE + 32 * i);
        memmove(pages + 2 * PAGE - size, image, size);
        image = pages + 2 * PAGE - size;
        file = (struct eh_frame_file){ .start = (uintptr_t)image,
                                       .end = (uintptr_t)image + size,
                                       .header = (uintptr_t)image,
                                       .frames_start = (uintptr_t)image,
                                       .frames_end = (uintptr_t)image + size };
        for (uintptr_t i = 0; i < FDES; i++)
            require_inside(CODE + 32 * i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_function_is_found, build),
        cmocka_unit_test_setup(a_cie_is_read_once, build),
        cmocka_unit_test_setup(between_functions_there_is_none, build),
        cmocka_unit_test_setup(a_file_without_a_header_has_none, build),
        cmocka_unit_test_setup(a_signal_frame_says_so, build),
        cmocka_unit_test(what_is_not_understood_is_not_used),
        cmocka_unit_test(damaged_lengths_are_refused),
        cmocka_unit_test(damage_never_reads_outside),
        cmocka_unit_test(a_file_cut_off_is_not_read_beyond),
    };

    return cmocka_run_group_tests(tests, map_pages, NULL);
}
