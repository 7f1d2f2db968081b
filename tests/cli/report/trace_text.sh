# SPDX-License-Identifier: Apache-2.0
# Lines of text have no time; one event of each region is no line over time.
cp "$CASE_DIR/../data/zpl-sample.txt" sample.txt
tally report sample.txt
tally report - < "$CASE_DIR/../data/zpl-sample.txt" | head -n 1
tally report --json "$CASE_DIR/../data/zpl-sample.txt" |
    grep -m 3 -E 'time_ns|per_second'
{
    echo "zpl_memory_event heap (0x10) 10B 90B 0"
    echo "zpl_memory_event heap (0x10) 50B 50B 0"
    echo "zpl_memory_event heap (0x10) 0B 100B 0"
    echo "zpl_memory_event heap (0x10) 90"
} > heap.txt
tally report heap.txt
