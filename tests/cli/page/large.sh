# SPDX-License-Identifier: Apache-2.0
# 100,000 stacks with 256 instants fit 5 MB, and are shown.
# needs: recorder
big=$BUILD_DIR/bench/big_ledger
[ -x "$big" ] || {
    echo "SKIPPED: no $big; configure with -DTALLY_BUILD_BENCH=ON" >&2
    exit 77
}
"$big" a.tally 100000 256 /usr/bin/python3 "$TALLY" >/dev/null
tally export --to html -o a.html a.tally
[ "$(stat -c %s a.html)" -le 5000000 ] || stat -c %s a.html
"$PYTHON" -B "$CASE_DIR/large.py" a.html
