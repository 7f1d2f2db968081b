# SPDX-License-Identifier: Apache-2.0
# The shapes that compilers make of the event are known, between other events
# too; one that none of them makes is refused, not guessed.
cat > make.py <<'END'
import struct, sys

# size, then the bytes at which region, address, used, unused, thread begin
def event(ns, size, region_bytes, address_bytes, places, fields):
    out = bytearray(b"\xa5" * size)
    out[:5] = struct.pack("<IB", ns % 2**32, 0xEE)
    sizes = region_bytes, address_bytes, 4, 4, 4
    for place, width, field in zip(places, sizes, fields):
        out[place:place + width] = field.to_bytes(width, "little")
    return bytes(out)

def stream(*shape, others):
    out, ns = b"", 1000
    for n in range(12):
        for fields in ((0, 0x20011748, 80 + n, 432 - n, 0x20010310),
                       (1, 0x20010048, 16 * n, 4096 - 16 * n, 0),
                       (2, 0x20010448, 12, 940, 0),
                       (3, 0x2001002c, 256, 768, 0)):
            for _ in range(others):
                out += struct.pack("<IBI20s", ns % 2**32, 0x10, 0x20010400, b"idle")
                ns += 5000
            out += event(ns, *shape, fields)
            ns += 1000
        ns += 1000000000  # a pause
    return out

SHAPES = {
    "packed_1_4": (22, 1, 4, (5, 6, 10, 14, 18)),
    "packed_1_8": (26, 1, 8, (5, 6, 14, 18, 22)),
    "packed_2_4": (23, 2, 4, (5, 7, 11, 15, 19)),
    "packed_2_8": (27, 2, 8, (5, 7, 15, 19, 23)),
    "packed_4_4": (25, 4, 4, (5, 9, 13, 17, 21)),
    "packed_4_8": (29, 4, 8, (5, 9, 17, 21, 25)),
    "padded_1_4": (24, 1, 4, (5, 8, 12, 16, 20)),
    "padded_1_8": (32, 1, 8, (5, 8, 16, 20, 24)),
    "padded_2_4": (24, 2, 4, (6, 8, 12, 16, 20)),
    "padded_2_8": (32, 2, 8, (6, 8, 16, 20, 24)),
    "padded_4_4": (28, 4, 4, (8, 12, 16, 20, 24)),
    "padded_4_8": (40, 4, 8, (8, 16, 24, 28, 32)),
    "none": (31, 1, 4, (5, 8, 14, 18, 22)),
}
for name, shape in SHAPES.items():
    for others in 0, 1, 3:
        with open(f"{name}_{others}", "wb") as file:
            file.write(stream(*shape, others=others))
END
"$PYTHON" make.py
tally decode packed_1_4_0 | sed 's/^[^ ]* //' > events
wc -l < events
for file in packed_* padded_*; do
    tally decode "$file" | sed 's/^[^ ]* //' | cmp - events || echo "$file"
done
for command in report decode "export --to text"; do
    for others in 0 1 3; do
        tally $command none_$others; echo "exit $?"
    done
done
