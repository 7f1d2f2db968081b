# SPDX-License-Identifier: Apache-2.0
# 1 when what is used at the end, or a peak, grew by more than the bound.
heap() {
    for used in "$@"; do
        echo "zpl_memory_event heap (0x2000) ${used}B $((1000 - used))B 0"
    done
}
compare() {
    tally diff --fail-over="$1" before after > out
    echo "$1 %: exit $?, $(tail -n 1 out)"
}
heap 200 100 > before
heap 200 110 > after
compare 10
compare 9.9
heap 230 100 > after
compare 15
compare 14
heap 150 90 > after
compare 0
heap 0 > before
heap 1 > after
compare 1000
