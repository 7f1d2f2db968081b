# SPDX-License-Identifier: Apache-2.0
# Inherited blocks have columns of their own and are no allocations.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally forked
tally report --full a.tally
tally report --json a.tally | grep -E "inherited|live|leaked|forked"
