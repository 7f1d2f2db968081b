# SPDX-License-Identifier: Apache-2.0
# Static RAM of a firmware image goes by its segments' addresses: Zephyr's
# sections in flash are writable, too. RAM holds .data (24), .bss (100) and
# .noinit (1000), without the region of 40 bytes in .bss.
if ! command -v arm-none-eabi-gcc > /dev/null; then
    echo "SKIPPED: no arm-none-eabi-gcc; scripts/install-deps test" >&2
    exit 77
fi
cat > firmware.S <<'END'
.macro block section, flags, type, size
    .section \section, "\flags", %\type
    .space \size, 0x55
.endm
block rom_start, awx, progbits, 64
block .text, ax, progbits, 2000
block initlevel, aw, progbits, 48
block device_area, aw, progbits, 120
block .rodata, a, progbits, 16
block .data, aw, progbits, 24
.section .bss, "aw", %nobits
    .space 60
.globl region
.type region, %object
.size region, 40
region: .space 40
.section .noinit, "aw", %nobits
    .space 1000
END
# link NAME PLACE_OF_DATA: the linker script's MEMORY is standard input.
link() {
    tee $1.memory > $1.ld
    cat >> $1.ld <<END
SECTIONS
{
    rom_start : { KEEP(*(rom_start)) } > FLASH
    .text : { *(.text) } > FLASH
    initlevel : { KEEP(*(initlevel)) } > FLASH
    device_area : { KEEP(*(device_area)) } > FLASH
    .rodata : { *(.rodata) } > FLASH
    .data : { *(.data) } > $2
    .bss (NOLOAD) : { *(.bss) } > RAM
    .noinit (NOLOAD) : { *(.noinit) } > RAM
}
END
    arm-none-eabi-gcc -mcpu=cortex-m3 -nostdlib -Wl,-w \
        -Wl,-e,0 -T $1.ld -o $1.elf firmware.S
    region=0x$(arm-none-eabi-nm $1.elf | sed -n 's/ B region$//p')
    echo "zpl_memory_event heap ($region) 10B 30B 0" > trace
    echo "$1 $(tally export --to tef --elf=$1.elf trace |
        sed -n 's/.*ASSIGNED_MEM.*args":\([0-9]*\)}/\1/p')"
}
link flash_at_0 "RAM AT > FLASH" <<'END'
MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 256K
         RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K }
END
link ram_at_0 "RAM AT > FLASH" <<'END'
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 256K
         RAM (rwx) : ORIGIN = 0, LENGTH = 64K }
END
# Without .data, 24 bytes less.
sed -i /progbits,.24/d firmware.S
link no_data "RAM AT > FLASH" < flash_at_0.memory
# An image that a debugger loads into RAM has all its writable sections there:
# 64, 48 and 120 bytes more, and here no .data.
link all_in_ram RAM <<'END'
MEMORY { RAM (rwx) : ORIGIN = 0, LENGTH = 64K }
REGION_ALIAS("FLASH", RAM)
END
