# SPDX-License-Identifier: Apache-2.0
# A log whose last line is cut: the rest is used, and what was left out is said.
title='[    1.0] Memory allocations (profiling is currently turned on):'
row='[    1.0]      1.00 KiB        1 fs/a.c:7 func:f'
say() {
    printf "$title\n$row\n$1" >log
    echo "== $1"
    tally allocinfo log 2>&1
}
say '[    1.0]      4.00 Ki'
say '[    1.0]      4.00 KiB        2 fs/a.c:8 fu'
say '[    1.0]      4.00 KiB        2 fs/a.c:8 func:long_na'
say '[    1.0]      4.00 KiB        2 fs/a.c:8 func:long_na\r'
# Whatever else a log ends with is none of our matter.
say '[    1.0] Out of memory\n[    1.0] oom_rea'
# There is no row either when all was cut.
printf "$title\n[    1.0]      4.00 KiB        2 fs/a.c:8 fu" >log
tally allocinfo log 2>&1
