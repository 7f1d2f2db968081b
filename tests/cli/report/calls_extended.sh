# SPDX-License-Identifier: Apache-2.0
# Some printf() extends the sign of addresses from 0x80000000 on. With a program
# of 32 bits the low 32 bits count, in callers and in blocks; otherwise all do.
link() {
    cc -nostdlib -static -Wl,-e,make_buffer "$@" "$CASE_DIR/../callers.S"
}
link -m32 -Wl,-Ttext=0x90001000 -o 32.elf
link -Wl,-Ttext=0x90001000 -o 64.elf
{
    echo '#m:0xFFFFFFFF9000A000;0xFFFFFFFF90001004-100'
    echo '#m:0x20000010;0x90001004-7'
    echo '#r:0xffffffff9000b000;0xFFFFFFFF90001013-0x9000a000;30'
    echo '#c:0xFFFFFFFF80000000;0x1234-2;9'
    echo '#f:0x0;0xFFFFFFFF90001013-0xFFFFFFFF9000B000'
} >t
tally report --elf=32.elf t | sed -n 3,14p
for class in 32 64; do
    tally decode --elf=$class.elf t
done
tally decode --json --elf=32.elf t | grep -o '"result.*' | sed -n '1p;3p;5p'
tally export --to=text --elf=32.elf t
