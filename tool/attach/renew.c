/* SPDX-License-Identifier: Apache-2.0 */
/* renew.c - see load.h */
#include "tool/attach/load.h"

#include <stdlib.h>
#include <string.h>

#include "format/recorder_image.h"
#include "tool/attach/standstill.h"

enum { MOST_VARIABLES = 64 << 20, MOST_WORDS = 4096 };

/* Bytes to write, read before any thread is stopped. */
struct renewal {
    struct remote *remote;
    struct recorder_image image;
    uint8_t *copy; /* of the variables; those that stay are written over */
    uint8_t words[MOST_WORDS];
};

static bool is_sound(const struct recorder_image *image)
{
    return image->version == RECORDER_IMAGE_VERSION &&
           image->size <= MOST_VARIABLES && image->kept >= image->start &&
           image->kept_size <= image->size &&
           image->kept - image->start <= image->size - image->kept_size &&
           image->words_size <= MOST_WORDS &&
           image->words_copy_size <= image->words_size;
}

static bool read_all(struct renewal *renewal)
{
    const struct tracee *tracee = renewal->remote->tracee;
    const struct recorder_image *image = &renewal->image;

    if (!is_sound(image))
        return false;
    renewal->copy = malloc(image->size);
    return renewal->copy != NULL &&
           tracee_read(tracee, image->copy, renewal->copy, image->size) &&
           tracee_read(tracee, image->words_copy, renewal->words,
                       image->words_copy_size);
}

static bool is_in_code(uint64_t word, const void *context)
{
    const struct recorder_image *image = context;

    return word - image->code < image->code_size;
}

/* Return true if no thread is in the recorder or returns to it. */
static bool is_quiet(const struct renewal *renewal,
                     const struct stack_words *words)
{
    const struct recorder_image *image = &renewal->image;
    const struct tracee *tracee = renewal->remote->tracee;

    for (size_t i = 0; i < tracee->count; i++) {
        const struct tracee_thread *thread = &tracee->threads[i];

        if (stack_words_may_have(words, thread, is_in_code, image) &&
            (tracee_is_past(words->deadline) ||
             safe_place_is_in(renewal->remote->place, thread->tid, image->code,
                              image->code_size)))
            return false;
    }
    return true;
}

static bool write_words(const struct renewal *renewal)
{
    const struct recorder_image *image = &renewal->image;
    const struct tracee *tracee = renewal->remote->tracee;

    for (size_t i = 0; i < tracee->count; i++) {
        const struct tracee_thread *thread = &tracee->threads[i];
        struct user_regs_struct registers;

        if (thread->has_ended || !thread->is_stopped)
            continue;
        if (!tracee_get_registers(thread->tid, &registers) ||
            !tracee_write(tracee, registers.fs_base + (uint64_t)image->words,
                          renewal->words, image->words_size))
            return false;
    }
    return true;
}

/* Write all variables but those that are kept. */
static bool write_variables(const struct renewal *renewal)
{
    const struct recorder_image *image = &renewal->image;
    const struct tracee *tracee = renewal->remote->tracee;
    size_t before = image->kept - image->start;
    size_t behind = before + image->kept_size;

    return tracee_write(tracee, image->start, renewal->copy, before) &&
           tracee_write(tracee, image->start + behind, renewal->copy + behind,
                        image->size - behind);
}

static enum standstill try_to_write(const struct stack_words *words,
                                    void *context)
{
    const struct renewal *renewal = context;

    if (!is_quiet(renewal, words))
        return STANDSTILL_AGAIN;
    return write_words(renewal) && write_variables(renewal)
               ? STANDSTILL_DONE
               : STANDSTILL_REFUSED;
}

int renew(struct remote *remote, uint64_t image, int limit_ms,
          uint64_t *stopped_ns)
{
    static const struct standstill_why why = {
        .refused = "the recorder's memory in the program cannot be written to",
        .again = "a thread is in the recorder since the program was recorded "
                 "before; try again",
    };
    struct session_failure *failure = remote->tracee->failure;
    struct renewal renewal = { .remote = remote };
    int result;

    if (!tracee_read(remote->tracee, image, &renewal.image,
                     sizeof renewal.image))
        return session_fail(failure, "attach: the recorder in the program is "
                                     "of another version; start it anew");
    if (renewal.image.copy == 0)
        return 0;
    result = read_all(&renewal)
                 ? standstill(remote->tracee, limit_ms, try_to_write, &renewal,
                              &why, stopped_ns)
                 : session_fail(failure, "attach: the recorder in the program "
                                         "is of another version; start the "
                                         "program anew");
    free(renewal.copy);
    return result;
}
