/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attached.c - functions that `tally attach` calls in a running program
 *
 *     tally_record_open()         a file for the session
 *     (its settings are written there, and the plan into our memory)
 *     tally_record_attach(plan)   the ledger is opened; no call arrives yet
 *     (the program is stopped, and the jumps are written)
 *     ...
 *     (the jumps are removed)
 *     tally_record_close()        the session's file is closed
 *
 * All are called in a thread that is outside the loader and the allocator, with
 * all signals blocked, and keep errno. Before a second attachment the
 * recorder's variables are restored (format/recorder_image.h).
 */
#include <string.h>
#include <sys/mman.h>

#include "format/ledger/ledger_layout.h"
#include "format/recorder_image.h"
#include "ledger/blocks/attach.h"
#include "ledger/space/ledger_space.h"
#include "ledger/space/session.h"
#include "ports/posix/loaded_files.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "recorder/calls/real_allocator.h"
#include "recorder/events/events.h"
#include "recorder/process/allocators.h"
#include "recorder/real_functions.h"

enum { PAGE = 4096 };

/* Make the session's file; return its descriptor in this process, or -1. */
EXPORT long tally_record_open(void);
/* Fill in the targets of the jumps; return 1 if the process is recorded. */
EXPORT long tally_record_attach(struct patch_plan *plan);
EXPORT long tally_record_close(void);

struct patch_plan *attached_plan;

EXPORT extern struct recorder_image tally_record_image;
struct recorder_image tally_record_image = { .version =
                                                 RECORDER_IMAGE_VERSION };

/* defined by the linker */
extern HIDDEN char _end[], __start_tally_kept[], __stop_tally_kept[];

/* Return the offset of the thread-local words from the thread pointer: the
   loader does not tell it for words accessed like these. */
static int64_t find_words(void)
{
    uintptr_t offset = 0;

    __asm__("leaq real_allocator_depth@dtpoff(%0), %0" : "+r"(offset));
    return (int64_t)((uintptr_t)&real_allocator_depth - offset -
                     (uintptr_t)__builtin_thread_pointer());
}

static void look_at_segment(const ElfW(Phdr) * segment, uintptr_t at,
                            struct recorder_image *image)
{
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0) {
        image->code = at;
        image->code_size = segment->p_memsz;
    } else if (segment->p_type == PT_GNU_RELRO) {
        image->start = (at + segment->p_memsz + PAGE - 1) / PAGE * PAGE;
    } else if (segment->p_type == PT_TLS) {
        image->words_size = segment->p_memsz;
        image->words_copy = at;
        image->words_copy_size = segment->p_filesz;
    }
}

static bool look_at_segments(struct recorder_image *image)
{
    struct loaded_file own;
    const ElfW(Phdr) * segments;
    size_t count = 0;

    if (!loaded_files_find((uintptr_t)image, &own))
        return false;
    segments = loaded_files_headers(&own, &count);
    for (size_t i = 0; segments != NULL && i < count; i++)
        look_at_segment(&segments[i], own.bias + segments[i].p_vaddr, image);
    return segments != NULL;
}

/* Copy all pages but empty ones, which stay untouched. */
static void copy_pages(char *to, const char *from, size_t size)
{
    static const char nothing[PAGE];

    for (size_t at = 0; at < size; at += PAGE) {
        size_t length = size - at < PAGE ? size - at : PAGE;

        if (memcmp(from + at, nothing, length) != 0)
            memcpy(to + at, from + at, length);
    }
}

/* Copy the recorder's variables; without a copy, this process can be attached
   to only once. Memory in whole pages is not copied. */
static void keep_copy(struct recorder_image *image)
{
    long at;

    if (pages_were_given() || !look_at_segments(image))
        return;
    image->words = find_words();
    image->size = (uintptr_t)_end - image->start;
    image->kept = (uintptr_t)__start_tally_kept;
    image->kept_size = (uintptr_t)(__stop_tally_kept - __start_tally_kept);
    at = raw_mmap(NULL, image->size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw_failed(at))
        return;
    image->copy = (uint64_t)at;
    copy_pages((char *)(uintptr_t)at, (const char *)image->start, image->size);
}

long tally_record_open(void)
{
    if (process.header != NULL)
        return -1;
    real_functions_find();
    if (tally_record_image.copy == 0)
        keep_copy(&tally_record_image);
    /* of the previous session */
    ledger_space_close();
    events_close();
    pages_release();
    session_close_own();
    return session_make(LEDGER_CONTROL_ON, false);
}

long tally_record_attach(struct patch_plan *plan)
{
    attached_plan = plan;
    process_retry();
    thread_attach();
    attached_plan = NULL;
    return process.header != NULL && plan->ways[0] != 0;
}

long tally_record_close(void)
{
    session_close_own();
    return 0;
}
