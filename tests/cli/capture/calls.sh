# SPDX-License-Identifier: Apache-2.0
# Lines of mem_trace are kept as they are, and the last line tells what is live.
printf 'boot\r\n#m:0x20003240;0x600d-50\r\n#m:0x2000\r\n' > console
printf '#c:0x20003400;0x6021-25;10\r\n#f:0x0;0x602f-0x20003240\r\n' >> console
tally capture console -o kept && cmp console kept
printf 'zpl_memory_event heap (0x20010048) 28B 164B 0\r\n' >> console
tally capture - -o - < console | cmp - console
"$PYTHON" "$CASE_DIR/calls.py"
tally report out | sed -n '/^Totals/,/^$/p'
