/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ledger_reader.c - any bytes at all, through the reader and the model
 *
 * A ledger is 64 KiB before its first segment, most of it zeros, which a fuzzer
 * would never get past. So an input is a list of patches to an empty ledger,
 *
 *     offset u32, length u8, bytes
 *
 * unless it begins as a ledger does; then it is taken as it is.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/bytes.h"
#include "tests/fakes/fake_ledger.h"
#include "tool/model/load_ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load_and_forget(const unsigned char *bytes, size_t size)
{
    struct profile *profile = profile_create();
    struct source_failure failure;

    if (profile == NULL)
        return;
    if (load_ledger(bytes, size, profile, &failure) == 0)
        profile_finish(profile);
    profile_destroy(profile);
}

/* A copy that ends where the heap block ends, so that ASan sees overruns. */
static void load_copy(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size + (size == 0));

    if (copy == NULL)
        return;
    memcpy(copy, bytes, size);
    load_and_forget(copy, size);
    free(copy);
}

static struct fake_ledger *create_small_ledger(void)
{
    struct fake_ledger *ledger = fake_ledger_create(1);
    uint32_t module = fake_ledger_add_module(ledger, "/bin/fake", "id", 4096);
    uint32_t site =
        fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, module, 0x1139);

    fake_ledger_counter(ledger, site, 0)->alloc_blocks = 1;
    fake_ledger_add_notice(ledger, LEDGER_NOTICE_deepbind, "x");
    return ledger;
}

static void apply_patches(struct fake_ledger *ledger, const uint8_t *data,
                          size_t size)
{
    while (size > 5) {
        size_t offset = read_u32le(data) % ledger->size;
        size_t length = data[4];

        data += 5;
        size -= 5;
        if (length > size)
            length = size;
        if (length > ledger->size - offset)
            length = ledger->size - offset;
        memcpy(ledger->bytes + offset, data, length);
        data += length;
        size -= length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fake_ledger *ledger;
    size_t whole;

    if (is_ledger(data, size)) {
        load_copy(data, size);
        return 0;
    }
    ledger = create_small_ledger();
    whole = ledger->size;
    apply_patches(ledger, data, size);
    load_copy(ledger->bytes, whole);
    fake_ledger_destroy(ledger);
    return 0;
}
