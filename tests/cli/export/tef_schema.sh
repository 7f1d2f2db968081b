# SPDX-License-Identifier: Apache-2.0
# Members that Zephelin's viewer needs, for all kinds of traces. speedscope
# reads an array in which each event has a phase and each span a time.
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=30 --layout=3 --address=8 trace
"$PYTHON" "$CASE_DIR/../make_elf.py" 64 names.elf "blinky@0x20010310+128" \
    "slab@0x2001002c+28" "$(printf 'a\\b\377<')@0x20010048+8"
for source in "--elf=names.elf trace" trace "$CASE_DIR/../data/zpl-sample.txt"
do
    tally export --to=tef -o out.tef $source && "$PYTHON" \
        "$CASE_DIR/tef_schema.py" out.tef
    rm out.tef
done
head -n 1 "$CASE_DIR/../data/zpl-sample.txt" |
    tally export --to=tef - > out.tef
"$PYTHON" "$CASE_DIR/tef_schema.py" out.tef
