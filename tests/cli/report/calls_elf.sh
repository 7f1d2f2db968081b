# SPDX-License-Identifier: Apache-2.0
# Callers are rows by the function that they lie in; --sum makes one of those of
# one function. All options for rows work as with a ledger.
cc -nostdlib -static -Wl,-e,make_buffer -Wl,-Ttext=0x6000 -o app.elf \
    "$CASE_DIR/../callers.S"
printf '#m:0x10;0x6004-100\n#m:0x20;0x6008-20\n#c:0x30;0x6018-3;7\n' > t
printf '#m:0x40;0x600c-5\n#f:0x0;0x6020-0x40\n#m:0x50;0x900000-9\n' >> t
tally report --elf=app.elf t
echo "--- sum, by calls, one row"
tally report --elf=app.elf --sum --sort=calls --top=1 t | sed -n 3,5p
echo "--- filters"
tally report --elf=app.elf --function=make_buffer --min-size=21 t | sed -n 3,4p
tally report --elf=app.elf --module=app.elf --max-size=0 t | sed -n 3,4p
echo "--- a build-id of 32 bytes"
cc -nostdlib -static -Wl,-e,make_buffer -Wl,-Ttext=0x6000 -o long.elf \
    -Wl,--build-id=0x$(printf %064d 7) "$CASE_DIR/../callers.S"
tally report --elf=long.elf --function=make_buffer t | sed -n 3,4p
