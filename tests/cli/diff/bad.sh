# SPDX-License-Identifier: Apache-2.0
# Usage and sources.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
for arguments in "" a.tally "a.tally a.tally a.tally" "- -" "a.tally gone" \
    "gone a.tally" "--fail-over=x a.tally a.tally" \
    "--fail-over=-1 a.tally a.tally" "--fail-over= a.tally a.tally" \
    "--fail-over=1.2.3 a.tally a.tally" "--sort=total a.tally a.tally" \
    "--top=x a.tally a.tally" "--min-size=1 a.tally a.tally"; do
    tally diff $arguments
    echo "$arguments: $?"
done
