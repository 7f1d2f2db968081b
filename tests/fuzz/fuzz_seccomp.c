/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_seccomp.c - any bytes, as a filter of another process
 *
 * Besides not crashing, and terminating:
 *
 *   S1  an immediate return does not depend on later instructions
 */
#include "tool/attach/thread_calls.h"

#include <stdlib.h>
#include <string.h>

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / sizeof(struct sock_filter);
    struct sock_filter *filter = malloc(size + 1);

    if (count > BPF_MAXINSNS)
        count = BPF_MAXINSNS;
    memcpy(filter, data, count * sizeof *filter);
    for (uint32_t number = 0; number < 340; number += 113) {
        enum seccomp_verdict verdict = seccomp_judge(filter, count, number);

        assert(verdict <= SECCOMP_ENDS);
        if (count > 0 && filter[0].code == (BPF_RET | BPF_K))
            assert(verdict == seccomp_judge(filter, 1, number));
    }
    free(filter);
    return 0;
}
