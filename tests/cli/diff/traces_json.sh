# SPDX-License-Identifier: Apache-2.0
# Regions that did not change are there, too.
for name in a b; do
    echo "zpl_memory_event heap (0x2000) 10B 90B 0"
    [ $name = a ] || echo "zpl_memory_event heap (0x2000) 25B 75B 0"
    echo "zpl_memory_event mem_slab (0x3000) 64B 64B 0"
    echo "zpl_memory_event stack (0x$name) 1B 2B 3"
done > b.txt
head -n 3 b.txt > a.txt
tally diff --json --fail-over=10 a.txt b.txt; echo "exit $?"
