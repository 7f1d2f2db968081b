# SPDX-License-Identifier: Apache-2.0
# Odd, but to the letter: the text comes back to the byte, and all can read it.
# Half of a start under AddressSanitizer looks for leaks: other cases do.
export ASAN_OPTIONS=detect_leaks=0
$PYTHON -B "$CASE_DIR/odd_texts.py" taken
for name in $(ls); do
    tally allocinfo "$name" | cmp - "$name" || echo "$name: not the same"
    for command in "allocinfo --sum" report "report --json" "diff $name" \
        "export --to folded" "export --to svg" "top -n 1"; do
        tally $command "$name" >out || echo "$command $name: $?"
    done
    echo "$name"
done
