# SPDX-License-Identifier: Apache-2.0
# Callers of a trace of calls are rows, too.
cc -nostdlib -static -Wl,-e,make_buffer -Wl,-Ttext=0x6000 -o app.elf \
    "$CASE_DIR/../callers.S"
printf '#m:0x10;0x6004-100\n#m:0x20;0x6008-20\n#f:0x0;0x6020-0x20\n' > t
printf '#m:0x2000\n#m:0x30;0x900000-9\n' >> t
tally allocinfo t
tally allocinfo --elf=app.elf --sum --totals --peaks t | sed "s|$PWD/||"
tally allocinfo --rates t
"$PYTHON" "$CASE_DIR/../make_ledger.py" ledger plain
tally allocinfo --elf=app.elf ledger
printf 'zpl_memory_event heap (0x20010048) 28B 164B 0\n' > regions
tally allocinfo regions
true
