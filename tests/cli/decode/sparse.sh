# SPDX-License-Identifier: Apache-2.0
# Most of a file was never written: a terabyte of it costs what its data cost,
# in each command that reads a trace, and comes to the same as zeros that are
# read.
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=2000 trace
cp trace sparse
truncate -s 3M sparse
cat trace >> sparse
tally decode sparse > by_file; tally decode - < sparse >> by_file
cat sparse | tally decode - > by_pipe
cat by_pipe by_pipe | cmp - by_file && wc -l < by_pipe
cp trace large
truncate -s 1T large
tally decode large | wc -l
tally report large | grep -c 0x2001
tally diff trace large > diff; echo "diff $?"
tally export --to text large | wc -l
tally allocinfo large > rows; echo "allocinfo $?"
(head -c 4096 "$TALLY"; echo) > ledger
truncate -s 1T ledger
tally decode ledger; echo "decode $?"
