# SPDX-License-Identifier: Apache-2.0
# Regions of two traces: what is new, gone, grown and shrunk, as tally diff has
# it, and how full both were over time. A ledger is none.
# needs: recorder
events()
{
    printf 'zpl_memory_event %s\n' "$@"
}
events "stack (0x1000) 100B 900B 1" "heap (0x2000) 50B 50B 0" \
    "heap (0x2000) 10B 90B 0" "mem_slab (0x3000) 64B 64B 0" \
    "mem_slab (0x4000) 32B 0B 0" "k_heap (0x5000) 7B 1B 0" >before.txt
events "stack (0x1000) 300B 700B 1" "heap (0x2000) 80B 20B 0" \
    "heap (0x2000) 20B 80B 0" "mem_slab (0x3000) 64B 64B 0" \
    "mem_slab (0x4800) 32B 0B 0" "k_heap (0x5000) 3B 5B 0" >after.txt
tally diff --html --fail-over=50 before.txt after.txt >a.html
echo "status $?"
tally diff --json before.txt after.txt >a.json
"$PYTHON" -B "$CASE_DIR/regions.py" a.html a.json
tally export --to html -o one.html after.txt
"$PYTHON" -B "$CASE_DIR/regions.py" one.html a.json
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally diff --html after.txt a.tally 2>&1
echo "status $?"
cat >heap.c <<'END'
#include <zephyr/kernel.h>
K_HEAP_DEFINE(strings, 1024);
int main(void)
{
    for (int i = 0; i < 100; i++)
        k_heap_alloc(&strings, 100, K_NO_WAIT);
    return 0;
}
END
root=$CASE_DIR/../../..
cc -I"$root/include" -I"$root/include/compat" -o heap heap.c \
    -L"$BUILD_DIR/lib" -ltally -Wl,-rpath,"$BUILD_DIR/lib"
tally record -q -o heap.tally -- ./heap
tally export --to html -o heap.html heap.tally
"$PYTHON" -B "$CASE_DIR/regions.py" heap.html a.json | grep strings
