# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A peak that grew tenfold is no growth of what lives; a filter that matches
# nothing passes no gate.
command -v gcc >/dev/null || {
    echo "SKIPPED: no gcc; scripts/install-deps build" >&2
    exit 77
}
cat >burst.c <<'END'
#include <stdlib.h>
int main(int count, char **words)
{
    char *blocks[10];
    for (int i = 0; i < 10; i++)
        blocks[i] = malloc((size_t)atol(words[count - 1]) / 10);
    for (int i = 0; i < 10; i++)
        free(blocks[i]);
    return 0;
}
END
gcc -g -O1 -fno-builtin -fdebug-prefix-map="$PWD"=/src -o burst burst.c
tally record -q -o a.tally ./burst 1000000
tally record -q -o b.tally ./burst 10000000
tally diff --fail-over=5 --value=live a.tally b.tally >out
echo "live: $?"
tally diff --fail-over=5 a.tally b.tally
echo "live and peak: $?"
tally diff --fail-over=5 --format=github a.tally b.tally
tally diff --fail-over=5 --json a.tally b.tally | sed -n '/"peak": {/,/}/p'
# The peak of samples may differ by chance: the gate leaves it out.
for size in 1000000 10000000; do
    tally record -q --stacks=sampled -o sampled$size.tally ./burst $size
done
tally diff --fail-over=5 --json sampled1000000.tally sampled10000000.tally >out
echo "sampled: $? $(grep -c '"peak": {' out)"
tally diff --fail-over=5 --value=peak a.tally b.tally | sed '/libc_start/d;/_start/d'
tally diff --fail-over=5 --value=peak a.tally b.tally >out
echo "peak: $?"
tally diff --fail-over=5 --value=total a.tally b.tally | sed -n 1,3p
tally diff --fail-over=5 --value=blocks a.tally b.tally | sed -n 1,3p
tally diff --value=temporary a.tally b.tally | sed -n 1,3p
tally diff --value=temporary --json a.tally b.tally | sed -n '/"growth": {/,/}/p'
tally diff --value=resident a.tally b.tally
echo "resident: $?"
tally diff --value=temporary --svg a.tally b.tally
echo "svg: $?"
tally diff --fail-over=5 --value=peak --function=nosuchfn a.tally b.tally
echo "no row: $?"
tally diff --focus=nosuchfn a.tally b.tally
echo "no focus: $?"
tally diff --value=peak --hide=min a.tally b.tally | grep -c main
