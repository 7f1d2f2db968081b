# SPDX-License-Identifier: Apache-2.0
# Each pair of options of report and diff is refused as wrong usage, or both
# options change the output. The expected output lists the refused pairs.
for name in stacks stacks_later sampled sampled_later history sizes; do
    "$PYTHON" "$CASE_DIR/../make_ledger.py" $name $name
done
"$PYTHON" "$CASE_DIR/option_pairs.py"
