# SPDX-License-Identifier: Apache-2.0
# The badge says whether numbers are exact, rounded, estimates or incomplete.
for kind in plain history sampled; do
    "$PYTHON" "$CASE_DIR/../make_ledger.py" $kind.tally $kind
done
"$PYTHON" -B - "$CASE_DIR/.." <<'END'
import sys

sys.path.insert(0, sys.argv[1])
from make_ledger import Ledger

with open("lost.tally", "wb") as file:
    file.write(Ledger(counts={"lost_allocations": 5}).to_bytes())
END
data=$CASE_DIR/../data
numfmt --to=iec --header=2 <"$data/linux-7.3.4-boot.txt" >rounded.txt
exec 2>errors # where losses and estimates are told
for source in plain history sampled lost; do
    tally export --to html -o $source.html $source.tally
done
tally diff --html "$data/linux-7.3.4-boot.txt" "$data/linux-7.3.4-load.txt" \
    >kernels.html
tally diff --html rounded.txt "$data/linux-7.3.4-load.txt" >rounded.html
for page in *.html; do
    "$PYTHON" -B "$CASE_DIR/accuracy.py" "$page" || cat errors
done
