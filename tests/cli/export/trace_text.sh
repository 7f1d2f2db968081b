# SPDX-License-Identifier: Apache-2.0
# The lines of devices, out of any form, in any mix; a ledger has no events.
"$PYTHON" "$CASE_DIR/../make_trace.py" --rounds=1 trace
tally export --to=text trace
printf '#m:0x10;0x6004-100\nboot\n#r:0x20;0x6008-0x10;7\n' > calls
printf '#c:0x30;0x600c-2;3\n#f:(nil);6010-0X20\n' >> calls
cat calls trace | tally export --to=text -o both -
cat both
"$PYTHON" "$CASE_DIR/../make_ledger.py" a.tally plain
tally export --to=text a.tally
echo "ledger: $?"
