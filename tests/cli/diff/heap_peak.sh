# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# The peak of the heap grew, and that of maps, at a later time, did not: a gate
# fails, also for some calls alone.
cat >burst.c <<'END'
#include <stdlib.h>
#include <sys/mman.h>
int main(int count, char **sizes)
{
    free(calloc(1, (size_t)atol(sizes[count - 1])));
    return mmap(NULL, 100 << 20, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}
END
gcc -O0 -fno-builtin -o burst burst.c
tally record -q -o a.tally ./burst 10000000
tally record -q -o b.tally ./burst 20000000
tally diff --fail-over=5 a.tally b.tally
echo "grown: $?"
tally diff --fail-over=5 b.tally a.tally >out
echo "shrunk: $?"
tally diff --fail-over=5 --function=main a.tally b.tally >out
echo "filtered: $?"
tally diff --json a.tally b.tally | sed -n '/"peak": {/,/}/p'
