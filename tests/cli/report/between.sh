# SPDX-License-Identifier: Apache-2.0
# Growth between two times, in either order; and as JSON.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally history
tally report --between=0.25,peak a.tally
tally report --between=peak,end --top=1 a.tally
tally report --between=0.25,end --json --function=app+0x1600 a.tally
tally report --between=0.25,end --top=1 --format=markdown a.tally
