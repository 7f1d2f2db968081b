# SPDX-License-Identifier: Apache-2.0
# Of several reports the last with rows is read, and a message says so.
report() {
    echo "[   $1.0] Memory allocations (profiling is currently turned on):"
    echo "[   $1.0]      1.00 KiB        $1 fs/a.c:$1 func:f"
    echo "[   $1.0] Out of memory: Killed process $1"
}
{
    report 1
    report 2
    report 3
    echo "[   4.0] Memory allocations (profiling is currently turned on):"
    echo "[   4.0] none, by now"
} >log
tally allocinfo log
tally report log
