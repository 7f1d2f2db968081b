# SPDX-License-Identifier: Apache-2.0
# On a Cortex-M bit 0 of a return address says how code runs, not where it is.
if ! command -v arm-none-eabi-gcc > /dev/null; then
    echo "SKIPPED: no arm-none-eabi-gcc; scripts/install-deps test" >&2
    exit 77
fi
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0x6000 \
    -Wl,-e,make_buffer -o firmware.elf "$CASE_DIR/../callers.S"
printf '#m:0x20003240;0x600d-50\n#f:0x0;0x6011-0x20003240\n' > t
printf '#f:0x0;0x6013-0x0\n' >> t
tally decode --elf=firmware.elf t
