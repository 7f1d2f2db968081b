# SPDX-License-Identifier: Apache-2.0
# A trace of calls is exported as a ledger is; to tef each call is a counter.
cc -nostdlib -static -Wl,-e,make_buffer -Wl,-Ttext=0x6000 -o app.elf \
    "$CASE_DIR/../callers.S"
printf '#m:0x10;0x6004-100\n#m:0x20;0x6008-20\n#f:0x0;0x6020-0x20\n' > t
printf '#m:0x2000\n#m:0x30;0x900000-9\n' >> t
tally export --to folded --elf=app.elf t
tally export --to folded --value=total-bytes t
tally export --to svg t | head -c 5
echo
tally export --to tef t
tally export --to tef t | "$PYTHON" -c 'import json, sys; json.load(sys.stdin)'
