# SPDX-License-Identifier: Apache-2.0
# Tables of large files have rows as long as an event, and the id in its place.
"$PYTHON" - <<'END'
import random
import struct

random.seed(1)
other = random.randbytes(200000)


def table(layout, fields, rows=60):
    row = struct.pack(layout, *fields)
    return other + row * rows + other


cases = {
    "no_thread": ("<IBBIIII", (0x7ffffffc, 0xee, 0, 0x300, 1507328, 0, 0)),
    "gigabytes": ("<IBBIIII", (5, 0xee, 0, 0x1f04, 0, 0xff000000, 0x607fffff)),
    "no_size": ("<IBBIIII", (5, 0xee, 1, 0x1f04, 0xfe000000, 0xff000000, 0)),
    "no_address": ("<IBBQIII", (5, 0xee, 1, 0x1ee802000000000, 0, 32416624,
                                0)),
    "relocations": ("<IBBHIIII", (1 << 28, 0xee, 0x79, 0, 8 << 24, 0, 32 << 24,
                                  0x3167), 8),
    "trace": ("<IBBIIII", (5, 0xee, 3, 0x2001002c, 256, 7936, 0)),
}
for name, case in cases.items():
    with open(name, "wb") as file:
        file.write(table(*case))
packet = ("<HHQHBIIII", (0, 248, 5, 0x106, 3, 0x2001002c, 256, 7936, 0))
for name, rows in (("packet", 1), ("packets", 2)):
    with open(name, "wb") as file:
        file.write(table(*packet, rows))
END
for file in no_thread gigabytes no_size no_address relocations packet packets trace; do
    tally decode "$file" > events; echo "exit $?, $(wc -l < events) events"
done
