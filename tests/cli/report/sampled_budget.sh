# SPDX-License-Identifier: Apache-2.0
# Samples with a budget: how far they were apart, and what they took.
# 1 %; 1/64 of a second of two; 2^24 bytes each at 16 KiB and 1 MiB.
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally sampled \
    --poke 280=1027 --poke 291=01 --poke 299=80 --poke 1715=01 --poke 1763=01
"$PYTHON" "$CASE_DIR/../make_ledger.py" b.tally sampled --poke 280=e803
tally report --full a.tally | sed -n 2p
tally report --full b.tally | sed -n 2p
tally report --json a.tally |
    "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["sampling"])'
tally export --to folded a.tally >a.folded
tally export --to speedscope a.tally | grep -o 'estimates: [^;]*;[^;"]*'
