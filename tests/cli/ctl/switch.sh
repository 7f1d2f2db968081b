# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Off, allocations are not recorded; on again, they are.
cat > program.c <<'END'
#include <stdlib.h>
#include <unistd.h>
static void step(size_t size)
{
    char byte;
    void *volatile block = malloc(size);

    write(1, "x", 1);
    read(0, &byte, 1);
    (void)block;
}
int main(void)
{
    step(1000);
    step(20000);
    step(300000);
    return 0;
}
END
cc -O0 -o program program.c
mkfifo in out
tally record -q -o x.tally -- ./program < in > out &
record=$!
exec 8> in 9< out
next() { printf x >&8; dd bs=1 count=1 <&9 2> /dev/null > step; }
dd bs=1 count=1 <&9 2> /dev/null > step
program=$(cat /proc/$record/task/$record/children)
tally ctl $program vm.mem_profiling
tally ctl $program vm.mem_profiling=0
next
tally ctl $program vm.mem_profiling=2 2>&1; echo $?
tally ctl $record vm.mem_profiling
tally ctl $record vm.mem_profiling=1
next
printf x >&8
wait $record
tally report --json x.tally | "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["totals"]["bytes_allocated"])'
