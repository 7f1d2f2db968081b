# SPDX-License-Identifier: Apache-2.0
# A page claims nothing that its source lacks: times, an end, findings, resident
# memory. It says if there are several processes; and a truncated page.
# needs: recorder
printf '#m:0x2000;0x600d-50\n#m:0x3000;0x600e-70\n#f:0x0;0x600f-0x2000\n' >trace.txt
tally export --to html trace.txt -o trace.html
"$PYTHON" -B "$CASE_DIR/sources.py" trace.html overview
printf 'allocinfo - version: 1.0\n4096 1 mm/slub.c:10 func:alloc_page\n' >kernel.txt
tally export --to html kernel.txt -o kernel.html
"$PYTHON" -B "$CASE_DIR/sources.py" kernel.html overview
tally record -q -o a.tally -- \
    sh -c "$BUILD_DIR/tests/recorder/bin/phases >/dev/null; :"
tally export --to html --all a.tally -o a.html 2>/dev/null
"$PYTHON" -B "$CASE_DIR/sources.py" a.html overview
head -c 12000 a.html >cut.html
"$PYTHON" -B "$CASE_DIR/sources.py" cut.html
