/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_stack_lines.c - any bytes, as lines of stacks in a server's answer
 *
 * Besides not crashing:
 *
 *   S1  a refusal has a line, a reason and an advice
 *   S2  each place and each stack has a name
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tool/model/names/blamed_calls.h"
#include "tool/model/sources/sources.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct profile *profile)
{
    struct site_names *names;
    struct frame_names *frames;

    profile_finish(profile);
    names = site_names_create(profile, NULL, DEMANGLE_WITHOUT_ARGUMENTS);
    frames = blame_all(&fold_shipped, profile, names);
    for (size_t i = 0; i < profile->stacks.stack_count; i++) {
        struct stack_walk walk;
        const struct frame_name *name;
        size_t count = 0;

        stack_walk_begin(&walk, frames, &profile->stacks.stacks[i]);
        while ((name = stack_walk_next(&walk)) != NULL) {
            assert(name->label != NULL);
            count++;
        }
        assert(count > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t head = sizeof STACK_LINES_BEGIN - 1;
    unsigned char *copy = malloc(head + size);
    struct profile *profile = profile_create();
    struct source_failure failure = { 0 };

    assert(copy != NULL);
    memcpy(copy, STACK_LINES_BEGIN, head);
    if (size > 0)
        memcpy(copy + head, data, size);
    profile->kinds = PROFILE_ALL;
    if (load_stack_lines(copy, head + size, profile, &failure) == 0)
        use(profile);
    else
        assert(failure.line > 0 && failure.why != NULL &&
               failure.advice != NULL);
    profile_destroy(profile);
    free(copy);
    return 0;
}
