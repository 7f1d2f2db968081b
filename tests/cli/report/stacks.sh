# SPDX-License-Identifier: Apache-2.0
# Call trees: call sites are sums of stacks, equal stacks are one, truncated
# ones are counted.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --full a.tally
