/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_project_file.c - any bytes, as a .tally.yaml
 *
 * Besides not crashing:
 *
 *   F1  a refused file has a position, a reason and an advice
 *   F2  the globs fit into their array, and each is a text
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tool/model/names/blamed_calls.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct glob_list lists[2] = { 0 };
    struct text_pool texts = { 0 };
    struct project_file project = { &lists[0], &lists[1], &texts };
    struct yaml_failure failure = { .why = NULL };
    FILE *in =
        fmemopen((void *)(uintptr_t)(size == 0 ? (const void *)"\n" : data),
                 size == 0 ? 1 : size, "r");

    if (project_file_read(&project, "fuzz", in, &failure) < 0)
        assert(failure.where[0] != '\0' && failure.why != NULL &&
               failure.advice != NULL);
    for (size_t list = 0; list < 2; list++) {
        assert(lists[list].count <= GLOB_LIMIT);
        for (size_t i = 0; i < lists[list].count; i++)
            assert(strlen(lists[list].globs[i]) <= size);
    }
    text_pool_free(&texts);
    return 0;
}
