# SPDX-License-Identifier: Apache-2.0
# How long blocks lived, stack by stack.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally sampled
tally report --lifetimes a.tally
