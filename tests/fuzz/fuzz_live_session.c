/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_live_session.c - any bytes, as the session of a running process
 *
 * The process is the test itself: its session is one of its own descriptors,
 * with one ledger that names it. An input is a list of patches to both,
 *
 *     offset u32, length u8, bytes
 *
 * to the session's header, then the ledger's history, then the ledger after
 * that page. Then the steps of `tally report PID` and `tally top PID` run. An
 * input that begins with "TALLY_SESSION=" is an environment. Besides not
 * crashing:
 *
 *   S1  a refusal is one line
 *   S2  the ledger read is this process's, and not larger than an extent
 *   S3  an accepted environment can be written and read again
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/bytes.h"
#include "tests/fakes/fake_ledger.h"
#include "tool/model/sources/sources.h"
#include "tool/session/find/process_facts.h"
#include "tool/session/find/session_ledgers.h"
#include "tool/session/images/images.h"
#include "tool/session/sampling/sampling.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    struct session_file file;
    struct session_header header; /* before patches */
    struct fake_ledger *ledger;   /* before patches */
    unsigned char *extent;        /* mapped: the ledger is read from here */
} live;

static void create_ledger(void)
{
    struct fake_ledger *ledger = fake_ledger_create(2);
    uint32_t module = fake_ledger_add_module(ledger, "/bin/fake", "id", 4096);
    uint32_t site =
        fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, module, 0x1139);
    struct process_state state;

    assert(process_state_read(getpid(), &state) == 0);
    ledger->header->pid = (uint32_t)getpid();
    ledger->header->start_ticks = state.start_ticks;
    ledger->header->ended = 0;
    fake_ledger_counter(ledger, site, 0)->alloc_blocks = 1;
    fake_ledger_counter(ledger, site, 0)->alloc_bytes = 100;
    fake_ledger_add_sample(ledger, 0, (struct ledger_sample){ 1, 2, 3, 4 });
    live.ledger = ledger;
}

static void create(void)
{
    struct session_header settings = { .control = LEDGER_CONTROL_ON };
    struct session_failure failure;

    assert(session_file_create(&live.file, &settings, &failure) == 0);
    live.file.header->ledger_count = 1;
    live.header = *live.file.header;
    create_ledger();
    live.extent = mmap(NULL, live.ledger->size, PROT_READ | PROT_WRITE,
                       MAP_SHARED, live.file.fd, (off_t)SESSION_EXTENT_SIZE);
    assert(live.extent != MAP_FAILED);
}

static uint8_t history[LEDGER_PAGE - sizeof(struct session_header)];

static void patch(const uint8_t *bytes, size_t length, size_t offset)
{
    for (size_t i = 0; i < length; i++, offset++) {
        if (offset < sizeof live.header)
            ((uint8_t *)live.file.header)[offset] = bytes[i];
        else if (offset < LEDGER_PAGE)
            history[offset - sizeof live.header] = bytes[i];
        else if (offset >= LEDGER_PAGE &&
                 offset < LEDGER_PAGE + live.ledger->size)
            live.extent[offset - LEDGER_PAGE] = bytes[i];
    }
}

static void fill(const uint8_t *data, size_t size)
{
    size_t limit = LEDGER_PAGE + live.ledger->size;

    /* bytes that a read has added after the ledger */
    fallocate(live.file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)(SESSION_EXTENT_SIZE + live.ledger->size),
              (off_t)(SESSION_EXTENT_SIZE - live.ledger->size));
    *live.file.header = live.header;
    memset(history, 0, sizeof history);
    memcpy(live.extent, live.ledger->bytes, live.ledger->size);
    while (size > 5) {
        size_t length = data[4] < size - 5 ? data[4] : size - 5;

        patch(data + 5, length, read_u32le(data) % limit);
        data += 5 + length;
        size -= 5 + length;
    }
    assert(pwrite(live.file.fd, history, sizeof history,
                  (off_t)(SESSION_EXTENT_SIZE + SESSION_HISTORY)) ==
           sizeof history);
}

static void check_line(const struct session_failure *failure)
{
    size_t length = strnlen(failure->text, sizeof failure->text);

    assert(length > 0 && length < sizeof failure->text);
    assert(strchr(failure->text, '\n') == NULL);
}

static void load(const struct ledger_snapshot *snapshot)
{
    struct profile *profile = profile_create();
    struct source_failure failure;

    assert(profile != NULL);
    if (load_ledger(snapshot->bytes, snapshot->size, profile, &failure) == 0)
        profile_finish(profile);
    profile_destroy(profile);
}

static void read_session(void)
{
    struct live_ledger ledger;
    struct ledger_snapshot snapshot;
    struct session_failure failure;
    uint32_t control = 0;

    if (live_ledger_open(getpid(), &ledger, &failure) < 0) {
        check_line(&failure);
        return;
    }
    assert(live_ledger_get(&ledger, offsetof(struct ledger_header, control),
                           &control, &failure) == 0);
    if (live_ledger_read(&ledger, &snapshot, &failure) < 0) {
        check_line(&failure);
    } else {
        assert(ledger.offset == SESSION_EXTENT_SIZE);
        assert(ledger.pid == getpid());
        assert(snapshot.size >= LEDGER_FIRST_SEGMENT &&
               snapshot.size <= SESSION_EXTENT_SIZE);
        site_history_fetch(&snapshot);
        load(&snapshot);
        ledger_snapshot_free(&snapshot);
    }
    live_ledger_close(&ledger);
}

/* Return false if it is not an environment. */
static bool read_environment(const uint8_t *data, size_t size)
{
    static const char prefix[] = SESSION_ENVIRONMENT "=";
    struct session_name name;
    char written[SESSION_NAME_SIZE];
    char *value;

    if (size < strlen(prefix) || memcmp(data, prefix, strlen(prefix)) != 0)
        return false;
    value = strndup((const char *)data + strlen(prefix), size - strlen(prefix));
    assert(value != NULL);
    if (session_name_read(value, &name)) {
        struct session_name again;

        session_name_write(&name, written);
        assert(session_name_read(written, &again));
        assert(again.pid == name.pid && again.fd == name.fd &&
               again.nonce == name.nonce);
    }
    free(value);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (live.ledger == NULL)
        create(); /* once: it is slow */
    if (!read_environment(data, size)) {
        fill(data, size);
        read_session();
    }
    return 0;
}
