# SPDX-License-Identifier: Apache-2.0
# Each allocation of a program is in the class of its size, also one by realloc.
# needs: recorder
cat >victim.c <<'END'
#include <stdlib.h>

static void *volatile kept;

int main(int argc, char **argv)
{
    (void)argv;
    if (argc == 1)
        return 0;
    for (int i = 0; i < 1000; i++)
        kept = malloc(1u << 20 | 1);
    for (int i = 0; i < 100; i++)
        kept = calloc(1u << 10, 1u << 15);
    for (int i = 0; i < 10; i++)
        kept = realloc(kept, (1u << 27) - 1);
    kept = malloc(0);
    return 0;
}
END
gcc -O0 -o victim victim.c
tally record -q -o none.tally -- ./victim
tally record -q -o all.tally -- ./victim all
for file in none all; do
    tally report --json $file.tally > $file.json
done
"$PYTHON" -c 'import json
none, all = (json.load(open(name + ".json")) for name in ("none", "all"))
def sizes(report):
    return {row["least_bytes"]: row["allocations"] for row in report["sizes"]}
for report in none, all:
    print(sum(sizes(report).values()) == report["totals"]["allocations"])
print({size: count - sizes(none).get(size, 0)
       for size, count in sizes(all).items()
       if count != sizes(none).get(size, 0)})'
