# SPDX-License-Identifier: Apache-2.0
# One function's callers and callees, filters in and out, lines, wrappers, and
# a stack that is deeper than a picture can be high.
# needs: recorder
cat >victim.c <<'END'
#include <stdlib.h>
static void *volatile kept[4];
static volatile int calls;
static void *xmalloc(size_t size) { calls++; return malloc(size); }
static void shared(int which) { kept[which] = xmalloc(1000 << which); calls++; }
static void north(void) { shared(0); calls++; }
static void south(void) { shared(1); calls++; }
static void deep(int left)
{
    if (left > 0)
        deep(left - 1);
    else
        kept[2] = xmalloc(500);
    calls++;
}
int main(void) { north(); south(); deep(2000); return 0; }
END
cc -g -O0 -o victim victim.c
tally record -q -o a.tally -- ./victim
tally export --to html --source a.tally -o a.html
tally export --to html a.tally -o b.html
"$PYTHON" -B "$CASE_DIR/flame.py" a.html b.html
