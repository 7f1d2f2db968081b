# SPDX-License-Identifier: Apache-2.0
# Names of Rust, of both its schemes, in a program with symbols alone.
# needs: recorder
cat >victim.c <<'END'
#include <stdlib.h>

void *older(size_t size) __asm__(
    "_ZN7example15Buffer$LT$T$GT$4grow17h0123456789abcdefE");
void *newer(size_t size) __asm__("_RNvCskwGfYPst2Cb_7example4keep");
static void *volatile kept;

__attribute__((noipa)) void *older(size_t size)
{
    return kept = malloc(size);
}

__attribute__((noipa)) void *newer(size_t size)
{
    return kept = older(size);
}

int main(void)
{
    newer(4321);
    return 0;
}
END
gcc -O1 -fno-optimize-sibling-calls -o victim victim.c
tally record -q -o a.tally -- ./victim
tally report --json a.tally | "$PYTHON" -c 'import sys
from harness import stack_tables
for site in stack_tables.load(sys.stdin)["sites"]:
    if site["bytes_total"] == 4321:
        names = [frame["function"] or "?" for frame in site["stack"]]
        print(names[:names.index("main") + 1])'
