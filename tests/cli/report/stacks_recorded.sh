# SPDX-License-Identifier: Apache-2.0
# A program that was recorded: functions that were inlined have names, and every
# output has the same sums.
# needs: recorder
cat >victim.c <<'END'
#include <stdlib.h>

#define STAY(block) __asm__ volatile("" : "+r"(block))

__attribute__((always_inline)) static inline void *make(size_t size)
{
    void *block = malloc(size);

    STAY(block);
    return block;
}

__attribute__((noipa)) static void *build(size_t size)
{
    void *block = make(size);

    STAY(block);
    return block;
}

__attribute__((noipa)) static void work(int times)
{
    for (int i = 0; i < times; i++) {
        void *block = build(100);

        if (i % 2 == 0)
            free(block);
        STAY(block);
    }
    __asm__ volatile("");
}

int main(void)
{
    void *block;

    work(10);
    block = build(1000);
    STAY(block);
    return 0;
}
END
gcc -O2 -g -fno-optimize-sibling-calls -fdebug-prefix-map="$PWD"=/src -o victim victim.c
tally record -o a.tally -- ./victim 2>/dev/null
tally report --json a.tally | "$PYTHON" -c 'import sys
from harness import stack_tables
report = stack_tables.load(sys.stdin)
for site in report["sites"]:
    names = [frame["function"] for frame in site["stack"]]
    if "build" in names:
        print(site["bytes_live"], site["blocks_total"], site["truncated"],
              *names[:names.index("main") + 1],
              [frame["line"] for frame in site["stack"]][:3])
print(sum(site["bytes_total"] for site in report["sites"])
      == report["totals"]["bytes_allocated"])
print(sum(site["bytes_live"] for site in report["sites"])
      == report["totals"]["leaked_bytes"])'
tally export --to folded a.tally | grep -o ";main;.*" | sort
tally report --full a.tally | sed -n '/^Called/,/main/p'
