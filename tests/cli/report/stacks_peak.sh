# SPDX-License-Identifier: Apache-2.0
# Live bytes at the peak of the heap.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --peak --top=2 a.tally
tally report --sort=peak --top=1 a.tally | sed -n 3,5p
