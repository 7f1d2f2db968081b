# SPDX-License-Identifier: Apache-2.0
# Stacks of events look alike in two layouts, in the first round or later; the
# first heap shows which it is, also if the bytes come one event at a time.
cat > make.py <<'END'
import struct, sys, time

def event(ns, size, region_bytes, address_bytes, places, fields):
    out = bytearray(size)
    out[:5] = struct.pack("<IB", ns, 0xEE)
    sizes = region_bytes, address_bytes, 4, 4, 4
    for place, width, field in zip(places, sizes, fields):
        out[place:place + width] = field.to_bytes(width, "little")
    return bytes(out)

def events(base, stacks, *shape):
    ns = 1000
    for n in range(4):
        for i in range(stacks):
            address = base + i * 0x400
            yield event(ns, *shape, (0, address, 80, 432, address + 0x200))
            ns += 1000
        yield event(ns, *shape, (1, base - 0x100, 16 * n, 4096 - 16 * n, 0))
        ns += 1000

SHAPES = {
    "packed_2_4": (0x20001000, 23, 2, 4, (5, 7, 11, 15, 19)),
    "padded_1_4": (0x20001000, 24, 1, 4, (5, 8, 12, 16, 20)),
    "padded_2_4": (0x20001000, 24, 2, 4, (6, 8, 12, 16, 20)),
    "padded_4_4": (0x401000, 28, 4, 4, (8, 12, 16, 20, 24)),
    "padded_1_8": (0x401000, 32, 1, 8, (5, 8, 16, 20, 24)),
}
base, *shape = SHAPES[sys.argv[1]]
for one in events(base, int(sys.argv[2]), *shape):
    sys.stdout.buffer.write(one)
    if len(sys.argv) > 3:
        sys.stdout.flush()
        time.sleep(0.002)
END
for shape in packed_2_4 padded_1_4 padded_2_4 padded_4_4 padded_1_8; do
    for stacks in 4 20; do
        "$PYTHON" make.py $shape $stacks > $shape
        tally decode $shape | grep -o ' zpl_memory_event [^ ]* (0x.*' > all
        "$PYTHON" make.py $shape $stacks slowly | tally decode - |
            grep -o ' zpl_memory_event [^ ]* (0x.*' | cmp - all
        echo "$shape: $(grep -c ' heap (0x[0-9a-f]*f00) ' all) heaps," \
            "$(sort -u all | grep -c ' stack (0x[0-9a-f]*00) 80B 432B ') stacks"
    done
done
