# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Functions that hand on their block, for many callers, are found and folded;
# those that do something else with it are not.
cat >kinds.c <<'END'
#include <stdlib.h>
#include <string.h>
#define OWN __attribute__((noinline, noclone)) static
struct node { char *name; int size; };
typedef void *memory;
static char *volatile held;
static int count;
/* Three levels, of which the last alone has many callers. */
OWN memory raw_get(size_t size) { memory got = malloc(size); count++; return got; }
OWN unsigned char *pool_get(size_t size)
{
    unsigned char *got = raw_get(size + 8);
    count++;
    return got;
}
OWN char *dup_string(const char *from)
{
    char *copy = (char *)pool_get(strlen(from) + 1);
    return strcpy(copy, from);
}
/* They know what they make, return a number, keep it, or have one caller. */
OWN struct node *new_node(void)
{
    struct node *made = malloc(sizeof *made);
    made->size = count++;
    return made;
}
OWN int put(void) { held = malloc(30); held[0] = 1; return count++; }
OWN const char *intern(void) { held = malloc(40); held[0] = 1; count++; return held; }
OWN char *read_all(void) { char *all = malloc(50); all[0] = 1; count++; return all; }
OWN char *three_lines(int which)
{
    if (which > 2)
        held = malloc(10);
    if (which > 1)
        held = malloc(11);
    held = malloc(12);
    return held;
}
#define CALL_ALL(which)                                        \
    held = dup_string("text"); held = (char *)new_node();      \
    put(); (void)intern(); held = three_lines(which); count++;
OWN void red(void) { CALL_ALL(3) }
OWN void green(void) { CALL_ALL(2) }
#ifdef FEW
#define dup_string(text) malloc(20)
#endif
OWN void blue(void) { CALL_ALL(1) held = read_all(); count++; }
int main(void) { held = dup_string("main"); red(); green(); blue(); }
END
record() {
    gcc "$@" -o kinds kinds.c
    tally record -q -f -o a.tally --stacks=all ./kinds
}
rows() {
    record "$@"
    tally report --full a.tally | grep '  folded,'
    tally report a.tally | grep -c '  folded,'
    tally report --module=kinds --json a.tally |
        "$PYTHON" -c 'import sys
from harness import stack_tables
report = stack_tables.load(sys.stdin)
print(sorted(report["wrappers"]))
print(*sorted({site["stack"][site["folded"]]["function"]
               for site in report["sites"]}))'
}
rows -g -O0
rows -g -O2
echo "-- callers that are hidden are callers still"
tally report --module=kinds --hide=red --hide=green --json a.tally |
    "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["wrappers"])'
echo "-- without debug information"
rows -O0
# A wrapper on one side of a comparison is folded on both.
record -g -O0 -DFEW
tally report --full a.tally | grep -c '  folded,'
mv a.tally few.tally
record -g -O0
tally diff --module=kinds few.tally a.tally >both
grep '^folded' both
grep -v '^folded' both | grep -c 'dup_string\|_get'
tally diff --module=kinds --leaf few.tally a.tally | grep -c raw_get
