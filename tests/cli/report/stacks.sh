# SPDX-License-Identifier: Apache-2.0
# Who called whom: sites are sums of stacks, equal stacks one, truncated ones
# told.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally report --full a.tally
