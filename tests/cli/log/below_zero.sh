# SPDX-License-Identifier: Apache-2.0
# A count that went below zero is printed as one of almost 2^64 bytes.
cat >log <<'END'
[    1.0] Memory allocations (profiling is currently turned on):
[    1.0]      16.0 EiB 18446744073709551615 fs/a.c:7 func:f
[    1.0]      8.00 EiB        1 fs/a.c:8 func:f
[    1.0]      7.99 EiB        1 fs/a.c:9 func:f
[    1.0]      4.00 KiB        1 fs/a.c:10 func:f
END
tally allocinfo log
tally report log
tally report --json log | grep -E 'bytes_live|accurate'
tally diff log log
