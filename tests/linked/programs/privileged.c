/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privileged.c - a program that shows what its environment made of it
 *
 * "secure N" is what the kernel says of its privileges. Then the allocinfo text
 * of one tagged block, so that it is seen whether profiling was changed. With
 * an argument the program itself starts the profiler, which ends at exit.
 */
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "tally/alloc_tag.h"
#include "tally/mem_profiling.h"
#include "tally/tagged.h"
#include "tally/zpl.h"

int main(int argc, char **argv)
{
    DEFINE_ALLOC_TAG(place);
    struct alloc_tag_counters counters;
    void *block = tally_tag_malloc(&place, 1000);

    counters = alloc_tag_read(&place);
    printf("secure %lu\n", getauxval(AT_SECURE));
    printf("effective %u\n", (unsigned)geteuid());
    printf("held %lld\n", (long long)counters.bytes);
    if (argc > 1)
        printf("start %d\n", tally_zpl_start(argv[1]));
    usleep(300000); /* a round of the profiler, if there is one */
    tally_zpl_stop();
    tally_tag_free(block);
    return 0;
}
