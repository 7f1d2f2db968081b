# SPDX-License-Identifier: Apache-2.0
# Function, file and line of a program with debug information.
# needs: recorder
cat >victim.c <<'END'
#include <stdlib.h>

__attribute__((noinline)) static void *make(size_t size)
{
    void *block = malloc(size);

    __asm__ volatile("" : "+r"(block));
    return block;
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        make(1000);
    free(make(24));
    return 0;
}
END
gcc -O1 -g -fdebug-prefix-map="$PWD"=/src -o victim victim.c
tally record --stacks=caller -o a.tally -- ./victim 2>/dev/null
tally report --full a.tally | sed -n 3,4p
tally report --json a.tally |
    "$PYTHON" -c 'import sys
from harness import stack_tables
report = stack_tables.load(sys.stdin)
totals, site = report["totals"], report["sites"][0]
print(totals["allocations"], totals["frees"], totals["bytes_allocated"],
      totals["leaked_bytes"], totals["leaked_blocks"], totals["peak_bytes"])
print(site["bytes_live"], site["blocks_live"], site["bytes_total"],
      site["blocks_total"], site["stack"][0]["function"],
      site["stack"][0]["file"].rpartition("/")[2], site["stack"][0]["line"])'
tally allocinfo a.tally | grep victim
