# SPDX-License-Identifier: Apache-2.0
# Allocations by size, for people and for scripts; of images that know it.
"$PYTHON" "$CASE_DIR/../make_ledger.py" sizes.tally sizes
"$PYTHON" "$CASE_DIR/../make_ledger.py" other.tally other
tally report --sizes sizes.tally | sed -n '/^Allocations by/,/^$/p'
tally report --json sizes.tally | sed -n '/"sizes"/,/\]/p'
tally report --json other.tally | grep '"sizes"'
tally report --sizes other.tally
echo $?
mkdir sizes.tally.d
cp sizes.tally sizes.tally.d/4300-0
tally report --all --json sizes.tally | grep '"least_bytes":16'
