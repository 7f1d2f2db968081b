# SPDX-License-Identifier: Apache-2.0
# A trace is read in pieces: of any size, from a pipe, in constant memory; after
# the first 64 KiB a file that is none is refused.
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=5000 trace
(
    ulimit -S -v 100000 # a build with AddressSanitizer has no use for less
    tally --version >version 2>&1 || ulimit -S -v unlimited
    for i in 1 2 3 4 5 6 7 8; do cat trace; done | tally report - | head -n 3
)
{ cat trace; head -c 100000 /dev/zero; cat trace; } > damaged
tally report damaged 2>&1 | grep -E 'tally|skipped'
{ head -c 100000 /dev/zero; cat trace; } > late
tally report late 2>&1
tally decode late | wc -l
