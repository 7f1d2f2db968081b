# SPDX-License-Identifier: Apache-2.0
# Each pair of options of report and diff is refused as wrong usage, or both
# options change the output. The expected output lists the refused pairs, and
# those of which no ledger here shows that.
#
# sanitizers: a case for each option has the same input
"$PYTHON" "$CASE_DIR/option_pairs.py"
