# SPDX-License-Identifier: Apache-2.0
# Views that the source lacks are refused, and so are two views at once.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally stacks
for arguments in "--peak a.tally" "--sort=peak a.tally" "--temporary a.tally" \
    "--callers=main a.tally" "--reverse a.tally" "--peak --leaks b.tally" \
    "--reverse --json b.tally" "--callers" "--sysroot=b.tally b.tally"; do
    tally report $arguments
    echo "$arguments: $?"
done
