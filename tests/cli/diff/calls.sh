# SPDX-License-Identifier: Apache-2.0
# Two traces of calls are compared by place, and so are a trace and a ledger;
# the bound is for live bytes.
cc -nostdlib -static -Wl,-e,make_buffer -Wl,-Ttext=0x6000 -o app.elf \
    "$CASE_DIR/../callers.S"
printf '#m:0x10;0x6004-100\n#c:0x30;0x6018-3;7\n' > before
printf '#m:0x10;0x6004-100\n#m:0x20;0x6008-20\n#f:0x0;0x6020-0x30\n' > after
tally diff before after
tally diff --elf=app.elf --json before after | "$PYTHON" -c '
import json, sys
for row in json.load(sys.stdin)["rows"]:
    print(row["function"], row["bytes_growth"], row["blocks_growth"],
          row["state"])'
tally diff --fail-over=0 before after > out
echo "exit $?"
tally diff --fail-over=0 after before > out
echo "exit $?"
"$PYTHON" "$CASE_DIR/../make_ledger.py" ledger plain
tally diff ledger after | sed -n 2p
printf '#m:0x2000\n' >> after
tally diff before after | tail -n 1
printf 'zpl_memory_event heap (0x20010048) 28B 164B 0\n' > regions
tally diff after regions
tally diff --elf=app.elf --load-address=1 --load-address=0x1 before after
true
