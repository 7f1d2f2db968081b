# SPDX-License-Identifier: Apache-2.0
# Callers have the names of functions in the program's file, of 32 and of 64
# bits, behind the line, which can be decoded again. The call is before the
# address that it returns to. A program that may lie anywhere needs its address.
link() {
    cc -nostdlib -Wl,-e,make_buffer "$@" "$CASE_DIR/../callers.S"
}
link -static -Wl,-Ttext=0x6000 -o 64.elf
link -static -Wl,-Ttext=0x6000 -m32 -o 32.elf
link -pie -Wl,-Ttext=0x1000 -o pie.elf
printf '#m:0x20003240;0x600d-50\n#f:0x0;0x6010-0x20003240\n' > t
printf '#f:0x0;0x6011-0x0\n#f:0x0;0x7777-0x0\n#f:0x0;0x0-0x0\n' >> t
for class in 64 32; do
    tally decode --elf=$class.elf t
done
tally decode --elf=64.elf t | tally decode - | cmp - t
tally decode --elf=64.elf --json t | grep -o '"function":.*'
printf '#m:0x20003240;0x55555555500d-50\n' > moved
tally decode --elf=pie.elf --load-address=0x555555554000 moved
tally decode --elf=pie.elf moved
tally decode --elf=pie.elf --load-address=5 moved
tally decode --elf=t moved
tally decode --elf=nowhere moved
true
