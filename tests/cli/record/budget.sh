# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A budget is judged at the end, or enforced; the status is the program's.
command -v gcc >/dev/null || {
    echo "SKIPPED: no gcc; scripts/install-deps build" >&2
    exit 77
}
cat >hold.c <<'END'
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void *xmalloc(size_t size)
{
    char *block = malloc(size);
    __asm__ volatile("" : "+r"(block));
    return block;
}
int main(int count, char **words)
{
    char *block = xmalloc(3 << 20);
    __asm__ volatile("" : "+r"(block));
    if (count > 1)
        sleep((unsigned)atoi(words[1]));
    return 7;
}
END
gcc -O1 -g -fdebug-prefix-map="$PWD"=/src -o hold hold.c
printf 'program: hold\nrules:\n  - peak <= 4 MiB\n  - live <= 1 MiB\n' >b.yaml
tally record -q --budget=b.yaml -o a.tally ./hold 2>err
echo "$?"
sed '/^       \|^Killed/d' err
tally record -q --budget=b.yaml --enforce -o b.tally ./hold 100 2>err
echo "$?"
sed '/^       \|^Killed/d' err
tally record -q --budget=b.yaml --enforce -o c.tally sleep 0
echo "other: $?"
printf 'rules:\n  - peak <= 4 XiB\n' >bad.yaml
tally record --budget=bad.yaml ./hold
echo "bad: $?"
tally record --enforce ./hold
echo "no budget: $?"
printf 'rules:\n  - growth live <= 1 MiB\n' >g.yaml
tally record -q -o d.tally true
tally check --budget=g.yaml --baseline=d.tally a.tally | sed '/^       /d'
ln -s hold called
printf 'program: called\nrules:\n  - peak <= 1 MiB\n' >c.yaml
tally record -q --budget=c.yaml -o e.tally ./called 2>err
sed '/^       \|^    by/d' err
