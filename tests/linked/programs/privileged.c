/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privileged.c - a program that shows the effect of its environment
 *
 * Print "secure N" with the kernel's flag for extra privileges, then the
 * allocinfo text of one tagged block, which shows if profiling was switched.
 * With an argument the program itself starts the profiler, which ends at exit.
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
    usleep(300000); /* a round of the profiler, if it runs */
    tally_zpl_stop();
    tally_tag_free(block);
    return 0;
}
