# SPDX-License-Identifier: Apache-2.0
# No view of any kind of source shows a value that is none.
# needs: recorder
phases=$BUILD_DIR/tests/recorder/bin/phases
tally record -q -o a.tally -- "$phases" >/dev/null
tally record -q --stacks=sampled -o b.tally -- "$phases" >/dev/null
"$PYTHON" "$CASE_DIR/../make_ledger.py" negative.tally negative
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=6 --grow=4 board.ctf
for source in a.tally b.tally negative.tally board.ctf; do
    tally export --to html -o "${source%.*}.html" $source 2>/dev/null
done
tally diff --html a.tally a.tally >same.html
tally diff --html a.tally b.tally >compared.html
tally diff --html "$CASE_DIR/../data/linux-7.3.4-boot.txt" \
    "$CASE_DIR/../data/linux-7.3.4-load.txt" >kernel.html
"$PYTHON" -B "$CASE_DIR/everywhere.py" a.html b.html negative.html board.html \
    same.html compared.html kernel.html
