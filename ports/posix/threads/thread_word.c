/* SPDX-License-Identifier: Apache-2.0 */
/* thread_word.c - a pointer of each thread's, where speed is not needed */
#include <stddef.h>

#include "tally/port.h"

void **tally_port_thread_word(void)
{
    static _Thread_local void *word __attribute__((tls_model("initial-exec")));

    return &word;
}
