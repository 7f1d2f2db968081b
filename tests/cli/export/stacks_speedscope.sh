# SPDX-License-Identifier: Apache-2.0
# By its own rules: a weight for each sample, frames that are there, sums.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally stacks
tally export --to speedscope --value=peak-bytes a.tally |
    "$PYTHON" "$CASE_DIR/speedscope_rules.py"
cp "$CASE_DIR/../data/linux-7.3.4-load.txt" kernel.txt
tally export --to speedscope kernel.txt |
    "$PYTHON" "$CASE_DIR/speedscope_rules.py" >samples
sed 3q samples
